import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonFileAppears } from "../support/file-appears.ts";
import { BOOTSTRAP_TOKEN, processEnd } from "../support/hub-process.ts";
import { CLIENTS } from "../support/mcp-clients.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { plainEnvironment, STEADING_COMMAND } from "../support/steading-command.ts";
import { isRecord, type ToolCaller } from "../support/tool-caller.ts";

// The seed's own requests, sent over MCP to the demo as `npm start` runs it: a lamp on a real socket, and a home with a
// garden of a thousand beds.

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let demo: ChildProcess;
let mcp: string;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const ready = folder.at("ready.json");
  const ports = ["--port", "--farm-port", "--device-port", "--mqtt-port"].flatMap((flag) => [flag, "0"]);
  const args = ["demo", ...ports, "--data", folder.at("data"), "--ready-file", ready];
  demo = spawn(process.execPath, [STEADING_COMMAND, ...args], {
    env: { ...plainEnvironment(), STEADING_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN },
    stdio: "ignore",
  });
  const ended = new AbortController();
  void processEnd(demo).then((end) => ended.abort(new Error(`The demo ended early: ${JSON.stringify(end)}`)));
  const addresses = await jsonFileAppears(ready, ended.signal);
  if (!isRecord(addresses) || typeof addresses["mcp"] !== "string") throw new Error("The ready file names no MCP URL.");
  ({ mcp } = addresses as { mcp: string }); // just looked at
});
afterAll(async () => {
  demo.kill("SIGTERM");
  await processEnd(demo);
  await folder.remove();
});

for (const client of CLIENTS) {
  describe(`the demo, ${client.name}`, () => {
    let caller: ToolCaller;
    beforeAll(async () => {
      caller = await client.connect({ over: "http", mcp, token: BOOTSTRAP_TOKEN });
    });
    afterAll(() => caller.close());

    const ask = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const answer = await caller.call(tool, args);
      expect(answer.isError, JSON.stringify(answer.json)).toBe(false);
      expect(answer.json).toEqual(answer.structured);
      return answer.json;
    };

    test("query: the tree of the seed, with its $ fields, values, units, flags and counts", async () => {
      const args = { path: "/home", depth: 2, includeProperties: true };
      expect(await ask("query", args)).toMatchObject({
        path: "/home",
        subjects: {
          livingRoom: {
            $type: "Room",
            $interfaces: ["steading.sensors.TemperatureSensor", "steading.sensors.HumiditySensor"],
            $title: "Living Room",
            $icon: "weekend",
            $methods: ["Calibrate"],
            $hasChildren: false,
            temperature: { value: 21.5, unit: "DegreeCelsius", isWritable: false },
            humidity: { value: 45, unit: "Percent", isWritable: false },
          },
          bedroom: {
            $type: "Room",
            $title: "Bedroom",
            $hasChildren: true,
            temperature: { value: expect.any(Number), unit: "DegreeCelsius", isWritable: false },
            thermostat: {
              $type: "Thermostat",
              $interfaces: ["steading.sensors.TemperatureSensor"],
              $methods: ["SetTarget", "TurnOff"],
              $hasChildren: false,
              temperature: { value: expect.any(Number), isWritable: false },
              target: { value: expect.any(Number), isWritable: true },
            },
          },
        },
        truncated: false,
        subjectCount: 4,
      });
    });

    test("query over a thousand: cut at a hundred, told so, and complete by following the cursor", async () => {
      const seen = new Set<string>();
      let cursor: unknown;
      do {
        const page = await ask("query", { path: "/garden/beds", ...(cursor === undefined ? {} : { cursor }) });
        const subjects = isRecord(page["subjects"]) ? Object.keys(page["subjects"]) : [];
        expect(subjects.length).toBeLessThanOrEqual(100);
        for (const key of subjects) seen.add(key);
        cursor = page["cursor"];
        expect(page["truncated"]).toBe(cursor !== undefined);
      } while (cursor !== undefined);
      expect(seen.size).toBe(1_000);
    });

    test("list_types: interfaces by full name, with a description; query takes them as a filter", async () => {
      const { types } = await ask("list_types", {});
      expect(types).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            name: "steading.sensors.TemperatureSensor",
            description: "Measures a temperature",
          }),
          expect.objectContaining({ name: "steading.Switch", description: expect.any(String) }),
        ]),
      );
      const found = await ask("query", { depth: 10, filter: { types: ["steading.Switch"] } });
      // The lamp, and the fourteen relay channels of the farm's two boards.
      expect(found).toMatchObject({ subjects: { "lamps/demo": { $type: "Lamp" } }, subjectCount: 15 });
    });

    test("get_property and set_property, in the home and on the lamp", async () => {
      const target = "/home/thermostat/target";
      await ask("set_property", { path: target, value: 22.0 });
      expect(await ask("get_property", { path: "/home/thermostat/temperature" })).toMatchObject({
        value: 21.5,
        type: "number",
        isWritable: false,
        unit: "DegreeCelsius",
      });
      expect(await ask("set_property", { path: target, value: 23.0 })).toMatchObject({
        success: true,
        previousValue: 22.0,
      });
      const lamp = "/lamps/demo/on";
      await ask("set_property", { path: lamp, value: false });
      expect(await ask("set_property", { path: lamp, value: true })).toMatchObject({
        success: true,
        previousValue: false,
        status: "confirmed",
        receipt: { stage: "observed" },
      });
      expect(await ask("get_property", { path: lamp })).toMatchObject({
        value: true,
        type: "boolean",
        isWritable: true,
      });
      await ask("set_property", { path: lamp, value: false });
    });

    test("list_methods and invoke_method, in the home and on the lamp", async () => {
      const path = "/home/thermostat";
      expect(await ask("list_methods", { path })).toMatchObject({
        methods: [
          { name: "SetTarget", kind: "operation", parameters: [{ name: "temperature", type: "number" }] },
          { name: "TurnOff", kind: "operation", parameters: [] },
        ],
      });
      expect(await ask("invoke_method", { path, method: "SetTarget", arguments: { temperature: 23 } })).toEqual({
        success: true,
      });
      expect(await ask("get_property", { path: `${path}/target` })).toMatchObject({ value: 23 });
      expect(await ask("list_methods", { path: "/lamps/demo" })).toEqual({ methods: [] });
      const refused = await caller.call("invoke_method", { path: "/lamps/demo", method: "blink" });
      expect(refused).toMatchObject({ isError: true, structured: undefined, json: { code: "METHOD_NOT_FOUND" } });
    });
  });
}
