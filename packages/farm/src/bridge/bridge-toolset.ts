import type { JsonObject, Tool, ToolContext, Toolset } from "@steading/kernel";
import type { FarmCore } from "../model/farm-core.ts";
import { createFarmToolset } from "../tools/farm-toolset.ts";
import type { LiveDescriptions } from "../tools/live-descriptions.ts";
import { forModels } from "../tools/model-text.ts";
import type { FarmToolName } from "../tools/seed-schemas.ts";
import { bridgeErrorJson } from "./bridge-errors.ts";
import type { BridgeReads } from "./bridge-reads.ts";
import type { BridgeWrites } from "./bridge-writes.ts";

type Run = (input: never, context: ToolContext) => Promise<JsonObject>;

/** The very tools of the embedded farm; only what happens when one is called is another thing. */
export function createBridgeToolset({
  reads,
  writes,
  descriptions,
}: {
  readonly reads: BridgeReads;
  readonly writes: BridgeWrites;
  readonly descriptions: LiveDescriptions;
}): Toolset {
  const runs: Readonly<Record<FarmToolName, Run>> = {
    get_equipment_list: (input, context) => reads.equipmentList(input, context),
    get_sensor_readings: (input, context) => reads.sensorReadings(input, context),
    get_automations: (input, context) => reads.automations(input, context),
    get_alerts: (input, context) => reads.alerts(input, context),
    get_system_status: (input, context) => reads.systemStatus(input, context),
    control_relay: (input, context) => writes.controlRelay(input, context),
    trigger_automation: (input, context) => writes.triggerAutomation(input, context),
    toggle_automation: (input, context) => writes.toggleAutomation(input, context),
  };
  const embedded = createFarmToolset({
    // Only their handlers would use these, and each of those is replaced.
    core: {} as FarmCore,
    facts: { version: "", startedAt: 0, armed: () => true },
    descriptions,
  });
  return { ...embedded, tools: embedded.tools.map((tool) => bridged(tool, runs)), errorJson: bridgeErrorJson };
}

function bridged(tool: Tool, runs: Readonly<Record<string, Run>>): Tool {
  const run = runs[tool.name];
  if (!run) throw new TypeError(`The bridge does not know the tool ${tool.name}.`);
  // The same tool has checked the input against the schema whose type the run expects.
  return Object.freeze({
    ...tool,
    run: async (input: unknown, context: ToolContext) => forModels(await run(input as never, context)),
  });
}
