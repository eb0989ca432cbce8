import { expect, test } from "vitest";
import { DEBIAN_PACKAGES, provideDebianPackages, type Machine } from "./debian-packages.mjs";
import { TEST_PROJECTS } from "./test-projects.mjs";

const packages = [
  { name: "chromium", command: "chromium", project: "browser" },
  { name: "mosquitto", command: "mosquitto", project: "peers" },
];
const say = (): void => {};
const projects = ["unit", "browser", "peers"];

/** A machine that has some programs, and whose apt-get brings some more. */
function createMachine({
  has,
  brings = [],
  mayInstall = true,
}: {
  has: string[];
  brings?: string[];
  mayInstall?: boolean;
}) {
  const present = new Set(has);
  const asked: string[][] = [];
  const machine: Machine = {
    has: (command) => present.has(command),
    mayInstall,
    install: (names) => {
      asked.push([...names]);
      for (const command of brings) present.add(command);
      return Promise.resolve(brings.length > 0 ? 0 : 100);
    },
  };
  return { machine, asked };
}

test("only what is missing is installed, and then every project can run", async () => {
  const { machine, asked } = createMachine({ has: ["mosquitto"], brings: ["chromium"] });

  expect(await provideDebianPackages({ packages, projects, machine, say })).toEqual(new Map());
  expect(asked).toEqual([["chromium"]]);
});

test("nothing is installed for a project that is not going to run", async () => {
  const { machine, asked } = createMachine({ has: [] });

  expect(await provideDebianPackages({ packages, projects: ["unit"], machine, say })).toEqual(new Map());
  expect(asked).toEqual([]);
});

test("without the right to install, each project that needs something is skipped with the reason", async () => {
  const { machine, asked } = createMachine({ has: ["mosquitto"], mayInstall: false });
  const unable = await provideDebianPackages({ packages, projects, machine, say });

  expect([...unable.keys()]).toEqual(["browser"]);
  expect(unable.get("browser")).toBe(
    "chromium (Debian package chromium) is missing: run as root on Debian to have it installed, or install it yourself",
  );
  expect(asked).toEqual([]);
});

test("an apt-get that fails, or succeeds without bringing the program, is a reason too", async () => {
  const failing = createMachine({ has: ["mosquitto"] });
  const lying = createMachine({ has: ["mosquitto"], brings: ["something-else"] });

  expect((await provideDebianPackages({ packages, projects, machine: failing.machine, say })).get("browser")).toContain(
    "apt-get ended with 100",
  );
  expect((await provideDebianPackages({ packages, projects, machine: lying.machine, say })).get("browser")).toContain(
    "although apt-get reported success",
  );
});

test("every listed package names a test project that exists", () => {
  const known = TEST_PROJECTS.map(({ name }) => name);

  expect(DEBIAN_PACKAGES.filter(({ project }) => !known.includes(project))).toEqual([]);
});
