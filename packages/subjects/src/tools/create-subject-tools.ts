import type { ResourceProvider, Toolset } from "@steading/kernel";
import { createGetPropertyTool } from "./get-property-tool.ts";
import { createGraphExtras } from "./graph-extras.ts";
import { createInvokeMethodTool, createListMethodsTool, createListTypesTool } from "./method-tools.ts";
import { createQueryTool } from "./query-tool.ts";
import { createSetPropertyTool } from "./set-property-tool.ts";
import { createSubjectResources } from "./subject-resources.ts";
import { createWorlds, type ToolRoot } from "./tool-world.ts";
import { collectConfig, type Configure } from "./tools-config.ts";

/** The six tools as a toolset, and beside it what else can be offered over the same graph. */
export interface SubjectTools extends Toolset {
  readonly name: "subjects";
  /** `browse`, `search`, `set_properties`, `watch`, and `get_property_history` where there is a history. */
  readonly extras: Toolset;
  /** `steading://<path>`. */
  readonly resources: ResourceProvider;
}

/**
 * The six tools over a graph. Exposes nothing that was not opted in: the default path provider is `explicit("mcp")`, and
 * without a metadata provider there are no methods.
 */
export function createSubjectTools(root: ToolRoot, configure?: Configure): SubjectTools {
  const worlds = createWorlds({ root, collected: collectConfig(configure) });
  return {
    name: "subjects",
    tools: [
      createGetPropertyTool(worlds),
      createInvokeMethodTool(worlds),
      createListMethodsTool(worlds),
      createListTypesTool(worlds),
      createQueryTool(worlds),
      createSetPropertyTool(worlds),
    ],
    extras: createGraphExtras(worlds),
    resources: createSubjectResources(worlds),
  };
}
