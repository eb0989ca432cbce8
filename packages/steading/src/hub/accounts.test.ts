import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

let hubs: Hubs;
beforeEach(() => void (hubs = createHubs()));
afterEach(() => hubs.end());

// @proves mcp.auth.secret-missing steading.jwt.secret-generated steading.first-start.secret-generated steading.first-start.secret-mode-0600 farm.setting.secret-generated farm.setting.secret-owner-only
test("the secret that signs logins is made once, for its owner alone, and stays over a restart", async () => {
  const first = await hubs.hub("start");
  const file = join(hubs.data, "jwt.key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const secret = readFileSync(file);
  first.stop();
  await first.code;
  await hubs.hub("start");
  expect(readFileSync(file)).toEqual(secret);
});

// @proves steading.jwt.short-secret-refused steading.jwt.well-known-secret-refused farm.setting.secret-short farm.setting.secret-well-known
test.each([
  ["short", "at least 32"],
  ["your-256-bit-secret-your-256-bit-secret", "well-known"],
])("a JWT_SECRET that others could know ends the start with 2: %s", async (secret, words) => {
  const ran = await hubs.run(["start", "--port", "0"], "", { variables: { JWT_SECRET: secret } });
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(words);
  expect(ran.err).not.toContain(secret);
});

test("a given JWT_SECRET is used and none is written", async () => {
  await hubs.hub("start", [], { JWT_SECRET: "Qm3vT8xK1nZ6rB9wL4yH7cD2fG5jP0sU" });
  expect(() => statSync(join(hubs.data, "jwt.key"))).toThrow(/ENOENT/);
});

test("clients are told about the hub's issuers and its public address", async () => {
  const config = join(hubs.dir, "own.yaml");
  writeFileSync(config, "publicUrl: https://hub.example\nissuers: [{name: home, issuer: 'https://login.example'}]\n");
  const { ready } = await hubs.hub("start", ["--config", config]);
  const answer = await fetch(`${ready.url}/.well-known/oauth-protected-resource/mcp`);
  expect(await answer.json()).toMatchObject({
    resource: "https://hub.example/mcp",
    authorization_servers: ["https://login.example"],
  });
});

test("a certificate that cannot be read ends the start with 2 and the setting's name", async () => {
  const config = join(hubs.dir, "own.yaml");
  writeFileSync(config, "listen: [{port: 0, tls: {cert: none.pem, key: none.key}}]\n");
  const ran = await hubs.run(["start", "--config", config]);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("none.pem cannot be read");
  expect(ran.err).toContain("listen[0].tls.cert");
});
