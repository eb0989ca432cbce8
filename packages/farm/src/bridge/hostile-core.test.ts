import { createManualClock, seconds, type ManualClock } from "@steading/kernel";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { alertFromCore } from "./alert-from-core.ts";
import { automationFromCore } from "./automation-from-core.ts";
import { parseBoundedJson } from "./bounded-json.ts";
import { equipmentFromCore } from "./equipment-from-core.ts";
import { readingsFromCore } from "./readings-from-core.ts";
import { send, startReferenceCore, type ReferenceCore, type Trouble } from "./testing/reference-core.ts";
import { createTrialBridge, type TrialBridge } from "./testing/trial-bridge.ts";

let clock: ManualClock;
let core: ReferenceCore;
let trial: TrialBridge;
beforeEach(async () => {
  clock = createManualClock();
  core = await startReferenceCore();
  trial = createTrialBridge({ url: core.url, service: { email: "b@farm.example", password: "a password" }, clock });
});
afterEach(async () => {
  await trial.stop();
  await core.close();
});

const TOOLS: Record<string, object> = {
  get_equipment_list: {},
  get_sensor_readings: { equipment_id: 2 },
  get_automations: {},
  get_alerts: {},
  get_system_status: {},
  control_relay: { equipment_id: 1, channel: 1, state: true },
  trigger_automation: { automation_id: 5 },
  toggle_automation: { automation_id: 5 },
};

const html: Trouble = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>hello</html>");
const troubles: [string, Trouble, number][] = [
  ["a page of HTML", html, 502],
  ["truncated JSON", (response) => response.writeHead(200).end('[{"id": 1, "na'), 502],
  [
    "a body that breaks off",
    (response) => response.writeHead(200, { "content-length": 99 }).end("[]", () => response.destroy()),
    503,
  ],
  ["no content", (response) => response.writeHead(204).end(), 502],
  ["a number", (response) => send(response, 200, 7), 502],
  ["null", (response) => send(response, 200, null), 502],
  ["JSON a hundred thousand levels deep", (response) => response.writeHead(200).end("[".repeat(100_000)), 502],
  ["a body of many megabytes", (response) => response.writeHead(200).end(Buffer.alloc(9 * 1024 * 1024, " ")), 502],
  ["a broken connection", (response) => response.destroy(), 503],
  ["bytes that are no HTTP", (response) => response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n"), 503],
];

describe.each(troubles)("a core that answers with %s", (_what, trouble, status) => {
  // @proves farm.tool.error-core-down
  test.each(Object.entries(TOOLS))(
    "%s is an error result, and the next good answer is one again",
    async (tool, args) => {
      await trial.answer("get_automations");
      for (const path of ["/api/equipment", "/api/automations", "/api/alerts", "/api/system"])
        core.trouble(path, trouble);
      expect(await trial.refusal(tool, args)).toMatchObject({ status, retryable: true });
      for (const path of ["/api/equipment", "/api/automations", "/api/alerts", "/api/system"])
        core.trouble(path, undefined);
      await trial.answer(tool, args);
    },
  );
});

describe("a core that does not come to an end", () => {
  const endless: [string, Trouble][] = [
    ["never begins to answer", () => {}],
    ["never ends its headers", (response) => response.socket?.write("HTTP/1.1 200 OK\r\nx-a: b\r\n")],
    ["never ends its body", (response) => response.writeHead(200).write("[")],
  ];
  // @proves farm.tool.within-9-s
  test.each(endless)("%s: 504 within nine seconds", async (_what, trouble) => {
    await trial.answer("get_automations");
    const asked = new Promise<void>((resolve) =>
      core.trouble("/api/equipment", (...all) => {
        trouble(...all);
        resolve();
      }),
    );
    const refused = trial.refusal("get_equipment_list");
    await asked;
    await clock.advance(seconds(8.9));
    expect(await refused).toMatchObject({ status: 504, retryable: true });
  });
});

describe("rows that are garbage", () => {
  test("what has no number is left out, what is odd gets the shape it should have", async () => {
    core.equipment.push({ id: "x" }, { name: "none" }, null as never, {
      id: 3,
      name: 12,
      enabled: "maybe",
      register_mappings: "{broken",
      last_reading: "[1,2",
      created_at: "yesterday",
      zones: [null, 5, { name: "Loft" }],
    });
    const { text } = await trial.answer("get_equipment_list");
    expect(text).toMatchObject([
      { id: 3, name: "12", enabled: true, register_mappings: [], last_reading: null, created_at: null, zone: "Loft" },
      { id: 2 },
      { id: 1 },
    ]);
  });

  test("no row of any kind makes the reading of it throw, and none can be deeper than it came", () => {
    const now = 0;
    const zonesOf = () => undefined;
    const row = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.dictionary(
        fc.constantFrom(
          "id",
          "name",
          "zones",
          "channels",
          "last_reading",
          "enabled",
          "register_mappings",
          "created_at",
          "trigger_config",
          "actions",
          "readings",
          "stats",
          "total",
          "acknowledged",
          "value",
          "timestamp",
        ),
        fc.oneof(
          fc.jsonValue({ maxDepth: 3 }),
          fc.json({ maxDepth: 3 }),
          fc.constantFrom(1, "1", "2026-01-01 00:00:00"),
        ),
      ),
    );
    fc.assert(
      fc.property(row, (given) => {
        const sent = parseBoundedJson(JSON.stringify(given)) ?? null;
        JSON.stringify([
          equipmentFromCore(sent, { now, zonesOf })?.row,
          automationFromCore(sent)?.row,
          alertFromCore(sent)?.row,
          readingsFromCore(sent, { equipmentId: 1, limit: 10 }),
        ]);
      }),
    );
  });

  test("brackets in texts are not depth, and real depth is refused", () => {
    expect(parseBoundedJson(JSON.stringify("[".repeat(1_000) + '"\\'))).toHaveLength(1_002);
    expect(parseBoundedJson("[".repeat(40) + "]".repeat(40))).toBeDefined();
    expect(parseBoundedJson("[".repeat(41) + "]".repeat(41))).toBeUndefined();
  });
});

describe("a core that is away", () => {
  // @proves farm.mcp.keeps-serving
  test("the bridge starts without it, serves errors, is degraded, and recovers by itself", async () => {
    await core.close();
    await trial.bridge.start(new AbortController().signal);
    expect(trial.bridge.health()).toMatchObject({
      status: "degraded",
      reason: expect.stringContaining(core.url) as unknown,
    });
    expect(trial.bridge.toolsets[0]?.tools).toHaveLength(8);
    expect(await trial.refusal("get_equipment_list")).toMatchObject({ status: 503, retryable: true });
    await core.reopen();
    const described = new Promise<void>((resolve) => trial.bridge.toolsets[0]?.onChange?.(resolve));
    const back = core.next("/api/automations");
    await clock.advance(seconds(2));
    await back;
    await trial.answer("get_equipment_list");
    expect(trial.bridge.health()).toEqual({ status: "ok" });
    expect(trial.bridge.core()).toEqual({ connected: true, equipment: 2 });
    await clock.advance(seconds(2));
    await described;
    await core.close();
    await trial.refusal("get_equipment_list");
    expect(trial.bridge.health()).toMatchObject({ status: "degraded" });
  });

  test("with a wrong password it is there all the same: only the login is refused", async () => {
    await trial.stop();
    trial = createTrialBridge({ url: core.url, service: { email: "b@farm.example", password: "no" }, clock });
    await trial.bridge.start(new AbortController().signal);
    expect(trial.bridge.health()).toEqual({ status: "ok" });
  });

  test("a server that is no core is not taken for one", async () => {
    core.trouble("/", html);
    await trial.bridge.start(new AbortController().signal);
    expect(trial.bridge.health()).toMatchObject({ status: "degraded" });
  });
});
