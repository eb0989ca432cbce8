import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChildren, type Children } from "./children.mjs";

const cwd = import.meta.dirname;
let children: Children;
beforeEach(() => {
  children = createChildren();
});
afterEach(() => children.close());

function script(text: string): Promise<{ code: number; output: string }> {
  return children.run(process.execPath, ["-e", text], { cwd, output: "keep" });
}

test("a child's exit code and words are handed on", async () => {
  const ended = await script(`console.log("out"); console.error("err"); process.exitCode = 3`);

  expect(ended.code).toBe(3);
  expect(ended.output).toContain("out");
  expect(ended.output).toContain("err");
});

test("a child ended by a signal has the code a shell would give it", async () => {
  expect((await script(`process.kill(process.pid, "SIGKILL")`)).code).toBe(137);
});

test("a signal for the parent reaches the child, which may end in its own way", async () => {
  // The child signals its parent, as a closed terminal would, and waits for the copy. Not SIGTERM: the test runner
  // itself listens for that.
  const text = `process.on("SIGHUP", () => process.exit(5)); setInterval(() => {}, 1000); process.kill(process.ppid, "SIGHUP")`;

  expect((await script(text)).code).toBe(5);
  expect(children.stoppedBy()).toBe("SIGHUP");
});

test("a program that does not exist is an error, not a silence", async () => {
  await expect(children.run("/no/such/program", [], { cwd })).rejects.toMatchObject({ code: "ENOENT" });
});

test("when the shell that npm put in between dies, the child is told to end", async () => {
  const work = `process.on("SIGTERM", () => { console.log("told"); process.exit(0); }); setInterval(() => {}, 1000); console.log("working")`;
  const between = `import { createChildren } from "./children.mjs";
    const children = createChildren({ startedByNpm: true });
    await children.run(process.execPath, ["-e", ${JSON.stringify(work)}], { cwd: "." });
    children.close();`;
  const command = [process.execPath, "--input-type=module", "-e", between].map((word) => `'${word}'`).join(" ");
  // The last word keeps the shell from replacing itself by the command.
  const shell = spawn("sh", ["-c", `${command}; true`], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: shell.stdout })) {
    lines.push(line);
    if (line === "working") shell.kill("SIGKILL");
  }

  expect(lines).toEqual(["working", "told"]);
});
