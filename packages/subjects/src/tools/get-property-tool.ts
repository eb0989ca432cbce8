import { defineTool, type Tool } from "@steading/kernel";
import { readProperty, type PropertyJson } from "./describe-property.ts";
import { guarded } from "./guard-handler.ts";
import { locateProperty } from "./locate-target.ts";
import { GetPropertyInput, GetPropertyOutput } from "./tool-schemas.ts";
import type { World, Worlds } from "./tool-world.ts";

export function createGetPropertyTool(worlds: Worlds): Tool {
  return defineTool({
    name: "get_property",
    title: "Read a property",
    summary:
      "Read one property: value, type, unit, whether it may be written, how far it can be trusted and since when. Never touches the device.",
    input: GetPropertyInput,
    output: GetPropertyOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "get_property",
      (input, { caller }) => answerGetProperty(worlds.open(caller, input.snapshot_id), input.path),
    ),
  });
}

function answerGetProperty(world: World, path: string): PropertyJson {
  const found = locateProperty(world, path);
  world.access.requireRead(found.property, found.path);
  return readProperty(world, found.property);
}
