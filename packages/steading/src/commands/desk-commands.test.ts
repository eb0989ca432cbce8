import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { secret } from "../../../../test/support/run-record.ts";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

const PASSWORD = secret("orchard lantern seven");
let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

/** A data directory that a hub has used and left. */
async function usedBefore(): Promise<void> {
  const first = await hubs.hub("start");
  first.stop();
  await first.code;
}
const names = async (): Promise<unknown> =>
  (JSON.parse((await hubs.run(["user", "list", "--json"])).out) as { users: { name: string }[] }).users.map(
    ({ name }) => name,
  );

// @proves steading.command.user steading.command.token steading.command.user-without-hub steading.command.token-without-hub
test.each([
  ["through the hub that runs", () => hubs.hub("start")],
  ["on the state of a hub that does not run", usedBefore],
])("accounts and tokens are changed %s", async (_, prepare) => {
  await prepare();
  const added = await hubs.run(["user", "add", "Anna@Example.org", "--role", "operator"], `${PASSWORD}\n`);
  expect(added).toMatchObject({ code: 0, out: "Added anna@example.org as operator.\n", err: "" });
  expect(await names()).toEqual(["admin", "anna@example.org"]);
  expect((await hubs.run(["user", "list"])).out).toMatch(/anna@example\.org\s+operator\s+enabled\s+yes\s+never/);

  expect((await hubs.run(["user", "role", "anna@example.org", "viewer"])).out).toBe("anna@example.org is viewer.\n");
  expect((await hubs.run(["user", "disable", "anna@example.org"])).out).toBe("anna@example.org is disabled.\n");
  expect((await hubs.run(["user", "enable", "anna@example.org"])).out).toBe("anna@example.org is enabled.\n");
  expect((await hubs.run(["user", "password", "anna@example.org"], `${secret("another lantern eight")}\n`)).code).toBe(
    0,
  );

  const made = await hubs.run(["token", "create", "anna@example.org", "--label", "tablet", "--days", "7"]);
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/^\S{32,}\n$/);
  secret(made.out.trim());
  expect(made.err).toContain("shown once");
  const list = await hubs.run(["token", "list", "anna@example.org", "--json"]);
  expect(list.out).not.toContain(made.out.trim());
  const { tokens } = JSON.parse(list.out) as { tokens: { id: string; label: string }[] };
  expect(tokens).toMatchObject([{ owner: "anna@example.org", label: "tablet", role: "viewer" }]);
  expect((await hubs.run(["token", "revoke", tokens[0]?.id ?? ""])).code).toBe(0);
  expect((await hubs.run(["token", "list", "anna@example.org"])).out).toBe("No tokens.\n");

  expect(await hubs.run(["user", "delete", "anna@example.org"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--yes"),
  });
  expect((await hubs.run(["user", "delete", "anna@example.org", "--yes"])).out).toBe("Deleted anna@example.org.\n");
  expect(await names()).toEqual(["admin"]);
});

test("a token opens the hub until it is revoked, and not beyond its toolsets", async () => {
  const { ready } = await hubs.hub("start");
  const made = await hubs.run(["token", "create", "admin", "--label", "narrow", "--toolsets", "actions", "--json"]);
  const { token, info } = JSON.parse(made.out) as { token: string; info: { id: string } };
  secret(token);
  const world = { variables: { STEADING_TOKEN: token } };
  expect(await hubs.run(["actions", "--url", ready.mcp], "", world)).toMatchObject({ code: 0 });
  expect((await hubs.run(["query", "--url", ready.mcp], "", world)).code).toBe(1);
  await hubs.run(["token", "revoke", info.id]);
  expect((await hubs.run(["actions", "--url", ready.mcp], "", world)).code).toBe(4);
});

test("what looks after the hub is offered to no MCP client", async () => {
  const { ready } = await hubs.hub("start");
  const client = new Client({ name: "test", version: "1" });
  const headers = { Authorization: `Bearer ${ready.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp), { requestInit: { headers } }));
  const offered = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  for (const tool of ["create_user", "set_password", "create_token", "list_tokens", "backup_hub"])
    expect(offered).not.toContain(tool);
  expect((await hubs.run(["call", "create_token", '{"owner":"admin","label":"x"}', "--role", "admin"])).code).toBe(1);
  expect(statSync(join(hubs.data, "control.sock")).mode & 0o777).toBe(0o600);
});

test.each([
  [["user", "add", "anna"], "short\n", "at least"],
  [["user", "add", "anna"], "", "standard input"],
  [["user", "add", "../anna"], `${PASSWORD}\n`, "cannot be the name"],
  [["user", "add", "admin"], `${PASSWORD}\n`, "there is an account admin already"],
  [["user", "role", "nobody", "admin"], "", "no such account"],
  [["user", "delete", "admin", "--yes"], "", "admin"],
  [["token", "create", "nobody", "--label", "x"], "", "there is no account nobody"],
  [["token", "revoke", "none"], "", "no access token"],
])("%s with %j says what is wrong and changes nothing", async (argv, input, words) => {
  await usedBefore();
  const ran = await hubs.run(argv, input);
  expect(ran.code, ran.err).toBeGreaterThan(0);
  expect(ran.code).toBeLessThan(3);
  expect(ran.err.toLowerCase()).toContain(words);
  expect(ran.err).not.toContain("    at ");
  expect(await names()).toEqual(["admin"]);
});

test("a password is no flag and no argument", async () => {
  expect((await hubs.run(["user", "add", "anna", "--password", PASSWORD])).code).toBe(2);
  expect((await hubs.run(["user", "password", "anna", PASSWORD])).code).toBe(2);
});

test("at a terminal the password is asked for twice and never shown", async () => {
  await usedBefore();
  const raw: boolean[] = [];
  const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  const ran = hubs.begin(["user", "add", "anna"], { stdin: terminal });
  await vi.waitFor(() => expect(ran.err()).toContain("Password: "));
  terminal.write(`${PASSWORD}x\u007f\r`);
  await vi.waitFor(() => expect(ran.err()).toContain("Once more: "));
  terminal.write(`${PASSWORD}\r`);
  expect(await ran.code, ran.err()).toBe(0);
  expect(raw).toEqual([true, false, true, false]);
  expect(ran.err() + ran.out()).not.toContain(PASSWORD);
});

test("a directory that holds no hub's state is left as it is", async () => {
  const ran = await hubs.run(["user", "list"]);
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("There is no hub's state") });
  expect(existsSync(hubs.data)).toBe(false);
});

// @proves steading.command.backup steading.command.restore steading.command.backup-without-hub steading.command.restore-without-hub
test.each(["running", "stopped"])("a backup of a %s hub is taken up by the start after a restore", async (state) => {
  const first = await hubs.hub("start");
  if (state === "stopped") {
    first.stop();
    await first.code;
  }
  const made = await hubs.run(["backup", "copy"]);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("Backed up") });
  expect(readdirSync(join(hubs.dir, "copy")).toSorted()).toEqual(["history.db", "manifest.json", "state.db"]);
  expect((await hubs.run(["backup", "copy"])).code, "it exists").toBe(2);
  await hubs.run(["user", "add", "late", "--no-password"]);
  expect(await names()).toEqual(["admin", "late"]);

  const staged = await hubs.run(["restore", "copy"]);
  expect(staged).toMatchObject({ code: 0, out: expect.stringContaining("next start") });
  first.stop();
  await first.code;
  await hubs.hub("start");
  expect(await names()).toEqual(["admin"]);
});

test("a restore that lies ready can be cancelled, and what is no backup is refused", async () => {
  await usedBefore();
  await hubs.run(["backup", "copy"]);
  await hubs.run(["restore", "copy"]);
  expect((await hubs.run(["restore", "--cancel"])).out).toBe("The restore is cancelled.\n");
  expect((await hubs.run(["restore", "--cancel"])).out).toBe("No restore lay ready.\n");
  expect(await hubs.run(["restore", "."])).toMatchObject({ code: 2, err: expect.stringContaining("not a backup") });
  expect((await hubs.run(["restore"])).code).toBe(2);
});
