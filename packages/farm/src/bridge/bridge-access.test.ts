import { createManualClock, minutes, seconds, type ManualClock } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { send, startReferenceCore, type ReferenceCore } from "./testing/reference-core.ts";
import { createTrialBridge, stranger, type TrialBridge } from "./testing/trial-bridge.ts";

const service = { email: "bridge@farm.example", password: "a password" };
let clock: ManualClock;
let core: ReferenceCore;
let trial: TrialBridge;
beforeEach(async () => {
  clock = createManualClock();
  core = await startReferenceCore();
  core.tokens.set("anna", "operator").set("vera", "viewer");
  trial = createTrialBridge({ url: core.url, service, clock });
});
afterEach(async () => {
  await trial.stop();
  await core.close();
});

const board = { equipment_id: 1, channel: 1, state: true };
const bearers = () => [...new Set(core.seen.map(({ authorization }) => authorization))];

describe("people with a login at the core", () => {
  test("the core's session call says who a token is, and a token it does not know is nobody's", async () => {
    const { authenticate } = trial.bridge.authenticator;
    expect(await authenticate("anna")).toMatchObject({
      principal: "sensehub:anna@farm.example",
      role: "operator",
      expiresAt: Date.parse("2031-01-01T00:00:00Z"),
    });
    expect(core.seen.map(({ path }) => path)).toEqual(["/api/auth/session"]);
    expect(await authenticate("unknown")).toBeUndefined();
    expect(JSON.stringify(await authenticate("anna"))).not.toContain('"anna"');
  });

  test("many who show one token at once cost the core one question", async () => {
    const { authenticate } = trial.bridge.authenticator;
    await Promise.all([1, 2, 3, 4].map(() => authenticate("anna")));
    expect(core.seen).toHaveLength(1);
  });

  // @proves farm.mcp-auth.bridge-forwards farm.mcp-auth.caller-role
  test("their calls go out with their own token, and no other token is touched", async () => {
    const anna = await trial.person("anna");
    await trial.answer("get_equipment_list", {}, anna);
    await trial.answer("control_relay", board, anna);
    expect(bearers()).toEqual(["Bearer anna"]);
    expect(core.logins).toEqual([]);
  });

  // @proves farm.mcp-auth.viewer-write
  test("a viewer's command is refused before it goes out", async () => {
    const vera = await trial.person("vera");
    await trial.answer("get_alerts", {}, vera);
    expect(await trial.refusal("control_relay", board, vera)).toMatchObject({ status: 403, retryable: false });
    expect(core.writes).toEqual([]);
  });

  test("a role that the core has taken away since is refused by the core, and told as 403", async () => {
    const anna = await trial.person("anna");
    core.tokens.set("anna", "viewer");
    expect(await trial.refusal("control_relay", board, anna)).toMatchObject({ status: 403, retryable: false });
  });

  test("a redirect is not followed, so the token goes nowhere else", async () => {
    const elsewhere = await startReferenceCore();
    core.trouble("/api/equipment", (response) => {
      response.writeHead(307, { location: `${elsewhere.url}/api/equipment` }).end();
    });
    const anna = await trial.person("anna");
    expect(await trial.refusal("get_equipment_list", {}, anna)).toMatchObject({ status: 502 });
    expect(await trial.refusal("control_relay", board, anna)).toMatchObject({ status: 502 });
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });

  test("a token that the core ends is told, refused from then on and never served by the bridge's own login", async () => {
    const ended: (string | undefined)[] = [];
    trial.bridge.authenticator.onChange((principal) => ended.push(principal));
    const anna = await trial.person("anna");
    core.tokens.delete("anna");
    expect(await trial.refusal("get_equipment_list", {}, anna)).toMatchObject({ status: 401, retryable: false });
    expect(ended).toEqual(["sensehub:anna@farm.example"]);
    expect(await trial.refusal("get_equipment_list", {}, anna)).toMatchObject({ status: 401 });
    expect(core.logins).toEqual([]);
  });

  // @proves farm.mcp-auth.bridge-check
  test("a login that ends while nobody calls is noticed within half a minute", async () => {
    const ended = new Promise((resolve) => trial.bridge.authenticator.onChange(resolve));
    await trial.bridge.start(new AbortController().signal);
    await trial.person("anna");
    core.tokens.delete("anna");
    await clock.advance(seconds(25));
    expect(await ended).toBe("sensehub:anna@farm.example");
  });

  test("while the core cannot be asked, a token is neither good nor bad", async () => {
    await core.close();
    await expect(trial.bridge.authenticator.authenticate("anna")).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE" });
    await core.reopen();
    expect(await trial.bridge.authenticator.authenticate("anna")).toMatchObject({ role: "operator" });
  });

  test("a session answer that is no person is no permission, and an unknown role is the least", async () => {
    const { authenticate } = trial.bridge.authenticator;
    for (const body of [{}, [], { user: null }, { user: { name: "x" } }]) {
      core.trouble("/api/auth/session", (response) => send(response, 200, body));
      await expect(authenticate("anna")).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE" });
    }
    core.trouble("/api/auth/session", (response) => send(response, 200, { user: { id: 3, role: "emperor" } }));
    expect(await authenticate("anna")).toMatchObject({ principal: "sensehub:#3", role: "viewer" });
    core.trouble("/api/auth/session", (response) =>
      send(response, 200, { user: { id: 3, role: "admin" }, expiresAt: "2020-01-01 00:00:00" }),
    );
    expect(await authenticate("anna")).toBeUndefined();
  });
});

describe("callers without a login at the core", () => {
  // @proves farm.mcp-auth.bridge-service-login
  test("are served by one login, renewed once for all of them when the core has forgotten it", async () => {
    await Promise.all([1, 2, 3, 4].map(() => trial.answer("get_equipment_list")));
    expect(core.logins).toEqual(["bridge@farm.example a password"]);
    core.tokens.clear();
    await Promise.all([1, 2, 3, 4].map(() => trial.answer("control_relay", board)));
    expect(core.logins).toHaveLength(2);
    expect(core.writes).toHaveLength(4);
  });

  test("a login that the core gives and does not accept ends in an error after one renewal", async () => {
    core.trouble("/api/equipment", (response) => send(response, 401, { error: "Unauthorized" }));
    expect(await trial.refusal("get_equipment_list")).toMatchObject({ status: 503, code: "SERVICE_LOGIN_REFUSED" });
    expect(core.logins).toHaveLength(2);
  });

  test("a wrong password is told with the names of the settings, and not tried again at every call", async () => {
    await trial.stop();
    trial = createTrialBridge({ url: core.url, service: { ...service, password: "wrong" }, clock });
    for (let i = 0; i < 3; i += 1) {
      const refused = await trial.refusal("get_equipment_list");
      expect(refused).toMatchObject({ status: 503, retryable: false });
      expect(refused["message"]).toContain("MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD");
    }
    expect(core.logins).toHaveLength(1);
    await clock.advance(minutes(1));
    await trial.refusal("get_equipment_list");
    expect(core.logins).toHaveLength(2);
    await clock.advance(minutes(1));
    await trial.refusal("get_equipment_list");
    expect(core.logins).toHaveLength(2);
  });

  test("without a service login they are told which settings are missing", async () => {
    await trial.stop();
    trial = createTrialBridge({ url: core.url, clock });
    const refused = await trial.refusal("get_equipment_list");
    expect(refused).toMatchObject({ status: 503, retryable: false, code: "SERVICE_LOGIN_MISSING" });
    expect(refused["message"]).toContain("MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD");
    expect(core.seen).toEqual([]);
  });

  test("their role still counts", async () => {
    expect(await trial.refusal("toggle_automation", { automation_id: 5 }, stranger("viewer"))).toMatchObject({
      status: 403,
    });
    expect(core.calls()).toEqual([]);
  });
});

test("an address that is none is refused at once", () => {
  for (const url of ["", "core", "ftp://core", "http://anna:secret@core", "http://core/?x=1", "http://core/#y"]) {
    expect(() => createTrialBridge({ url, clock })).toThrow(TypeError);
  }
});
