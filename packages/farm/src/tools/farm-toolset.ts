import type { JsonObject, Tool, Toolset } from "@steading/kernel";
import { farmErrorJson } from "../farm-status.ts";
import type { LiveDescriptions } from "./live-descriptions.ts";
import { createReadTools } from "./read-tools.ts";
import { SEED_SCHEMAS } from "./seed-schemas.ts";
import type { FarmToolDeps } from "./tool-deps.ts";
import { createWriteTools } from "./write-tools.ts";

/** The seed's eight tools, exactly. */
export function createFarmToolset(deps: FarmToolDeps & { readonly descriptions: LiveDescriptions }): Toolset {
  const { descriptions } = deps;
  const tools = [...createReadTools(deps), ...createWriteTools(deps)].map((tool) => advertised(tool));
  return {
    name: "farm",
    tools,
    onChange: (listener) => descriptions.onChange(listener),
    errorJson: farmErrorJson,
  };
}

/** With the seed's own schema: what a schema library makes of ours says the same in other words. */
function advertised(tool: Tool): Tool {
  const schemas: Readonly<Record<string, JsonObject>> = SEED_SCHEMAS;
  const inputSchema = schemas[tool.name];
  if (!inputSchema) throw new TypeError(`The seed has no tool ${tool.name}.`);
  return Object.freeze({ ...tool, inputSchema });
}
