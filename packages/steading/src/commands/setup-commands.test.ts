import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { configFile } from "../connect/host-apps.ts";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";
import { runMain } from "../testing/run-main.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

interface Findings {
  readonly healthy: boolean;
  readonly findings: readonly { readonly check: string; readonly verdict: string; readonly says: string }[];
}
async function doctor(...flags: string[]): Promise<{ code: number } & Findings> {
  const { code, out } = await hubs.run(["doctor", "--json", ...flags]);
  return { code, ...(JSON.parse(out) as Findings) };
}
const config = (text: string): string => {
  const file = join(hubs.dir, "own.yaml");
  writeFileSync(file, text);
  return file;
};

// @proves steading.command.doctor steading.command.doctor-without-hub
test("the doctor finds a hub that runs to be well, and the state of one that does not", async () => {
  const hub = await hubs.hub("start");
  expect(await doctor()).toMatchObject({
    code: 0,
    healthy: true,
    findings: expect.arrayContaining([
      expect.objectContaining({ check: "hub", verdict: "good", says: expect.stringContaining(`${process.pid}`) }),
    ]),
  });
  hub.stop();
  await hub.code;
  const later = await doctor("--config", config("listen: [{port: 0}]\n"));
  expect(later).toMatchObject({ code: 0, healthy: true });
  expect(later.findings).toContainEqual({ check: "state", verdict: "good", says: "It is whole." });
});

test("the doctor tells of others' rights, a taken port, wrong settings and a damaged state, and ends with 1", async () => {
  const hub = await hubs.hub("start");
  hub.stop();
  await hub.code;
  const bad = async (check: string, ...flags: string[]): Promise<string> => {
    const { code, findings } = await doctor(...flags);
    expect(code).toBe(1);
    return findings.find((each) => each.check === check && each.verdict === "bad")?.says ?? expect.fail(`no ${check}`);
  };
  chmodSync(join(hubs.data, "jwt.key"), 0o644);
  expect(await bad("data directory")).toContain("jwt.key");
  chmodSync(join(hubs.data, "jwt.key"), 0o600);

  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo; // not a pipe
  expect(await bad(`port ${port}`, "--config", config(`listen: [{port: ${port}}]\n`))).toContain("Another program");
  other.close();
  await once(other, "close");

  expect(await bad("settings", "--config", config("lapms: []\n"))).toContain("did you mean lamps?");
  writeFileSync(join(hubs.data, "state.db"), "this is no database, however long one looks at it");
  expect(await bad("state", "--config", config("listen: [{port: 0}]\n"))).not.toBe("");
});

// @proves steading.command.connect
test("connect shows what changes, asks, and writes nothing after a no", async () => {
  const file = join(hubs.dir, "client.json");
  writeFileSync(file, '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": { "command": "x" }\n    }\n}\n');
  const before = readFileSync(file, "utf8");
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const no = terminal();
  no.end("n\n");
  const declined = hubs.begin(["connect", "claude-desktop", "--file", file], { stdin: no });
  expect(await declined.code).toBe(0);
  expect(declined.err()).toContain('+         "steading": {');
  expect(declined.out()).toBe("Nothing was changed.\n");
  expect(readFileSync(file, "utf8")).toBe(before);

  const yes = terminal();
  yes.end("y\n");
  const written = hubs.begin(["connect", "claude-desktop", "--file", file, "--role", "viewer"], { stdin: yes });
  expect(await written.code).toBe(0);
  const after = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  expect(after).toMatchObject({
    theme: "dark",
    mcpServers: {
      other: { command: "x" },
      steading: {
        command: process.execPath,
        args: [expect.stringMatching(/steading\.js$/), "stdio", "--data", hubs.data, "--role", "viewer"],
      },
    },
  });
  const [kept] = readdirSync(hubs.dir).filter((name) => name.startsWith(`${basename(file)}.before-steading-`));
  expect(readFileSync(join(hubs.dir, kept ?? ""), "utf8")).toBe(before);
  expect((await hubs.run(["connect", "claude-desktop", "--file", file, "--role", "viewer"])).out).toContain("already");
});

test("connect makes a file that is not there, for its owner alone, and keeps a link a link", async () => {
  const file = join(hubs.dir, "deep", "mcp.json");
  const made = await hubs.run(["connect", "vscode", "--file", file, "--yes", "--json"]);
  expect(JSON.parse(made.out)).toEqual({ file, changed: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ servers: { steading: { type: "stdio" } } });

  const link = join(hubs.dir, "link.json");
  mkdirSync(join(hubs.dir, "dotfiles"));
  writeFileSync(join(hubs.dir, "dotfiles", "cursor.json"), "{}");
  symlinkSync(join(hubs.dir, "dotfiles", "cursor.json"), link);
  expect((await hubs.run(["connect", "cursor", "--file", link, "--yes"])).code).toBe(0);
  expect(readFileSync(join(hubs.dir, "dotfiles", "cursor.json"), "utf8")).toContain("stdio");
});

test.each(["{ // a comment\n}", "[]", '{"mcpServers": []}', "{"])("connect leaves %j as it is", async (text) => {
  const file = join(hubs.dir, "client.json");
  writeFileSync(file, text);
  const ran = await hubs.run(["connect", "cursor", "--file", file, "--yes"]);
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("--print") });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("connect without a terminal and without --yes writes nothing and names the flag", async () => {
  const ran = await hubs.run(["connect", "cursor", "--file", "client.json"]);
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect(readdirSync(hubs.dir)).not.toContain("client.json");
});

test("connect --print is what to paste", async () => {
  const ran = await hubs.run(["connect", "claude-code", "--print"]);
  expect(JSON.parse(ran.out)).toMatchObject({ mcpServers: { steading: { type: "stdio" } } });
});

test("each program's file is where it keeps it on each system", () => {
  const here = { home: "/h" };
  const windows = { home: "/h", appData: "/roaming" };
  expect(configFile("claude-desktop", here, "darwin")).toBe(
    "/h/Library/Application Support/Claude/claude_desktop_config.json",
  );
  expect(configFile("claude-desktop", here, "linux")).toBe("/h/.config/Claude/claude_desktop_config.json");
  expect(configFile("claude-desktop", windows, "win32")).toBe("/roaming/Claude/claude_desktop_config.json");
  expect(configFile("claude-code", here, "linux")).toBe("/h/.claude.json");
  expect(configFile("cursor", here, "darwin")).toBe("/h/.cursor/mcp.json");
  expect(configFile("vscode", { ...here, xdgConfigHome: "/c" }, "linux")).toBe("/c/Code/User/mcp.json");
});

async function completion(shell: string): Promise<string> {
  const ran = runMain(["completion", shell]);
  expect(await ran.code).toBe(0);
  return ran.out();
}

test("bash completes commands, commands of commands, and flags", async () => {
  const script = await completion("bash");
  const complete = (...words: string[]): string[] =>
    execFileSync(
      "bash",
      [
        "-c",
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _steading; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        "steading",
        ...words,
      ],
      { encoding: "utf8" },
    )
      .split("\n")
      .filter((word) => word !== "");
  expect(complete("de")).toEqual(["demo"]);
  expect(complete("user", "d")).toEqual(["disable", "delete"]);
  expect(complete("user", "--data", "/x", "add", "anna", "--ro")).toEqual(["--role"]);
  expect(complete("connect", "c")).toEqual(["claude-desktop", "claude-code", "cursor"]);
  expect(complete("start", "--read")).toEqual(["--ready-file"]);
});

test("zsh and fish get every command, and an unknown shell is refused", async () => {
  const [zsh, fish] = [await completion("zsh"), await completion("fish")];
  for (const command of ["start", "watch", "approve", "user add", "token revoke", "doctor"]) {
    expect(zsh).toContain(`'${command}') echo '`);
    expect(fish).toContain(`"__steading_at '${command}'" -l help`);
  }
  expect(zsh).toMatch(/^#compdef steading\n/);
  const ran = runMain(["completion", "tcsh"]);
  expect(await ran.code).toBe(2);
});
