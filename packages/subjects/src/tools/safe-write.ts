import type { Json } from "@steading/kernel";
import { coerceValue } from "./coerce-value.ts";
import { locateProperty } from "./locate-target.ts";
import { shapeOfProperty } from "./property-shape.ts";
import type { World } from "./tool-world.ts";
import { faceOf, READ_WHOLE } from "./value-face.ts";

/**
 * Is this write provably towards safe (OFF, stop)? Only the source of a door-owned property can say so, from path and
 * value; whatever cannot be proved is not safe.
 */
export function isTowardSafe(world: World, path: string, value: unknown): boolean {
  try {
    const { property, path: printed, subject } = locateProperty(world, path);
    const handle = property.source === undefined ? undefined : world.graph.sources.get(property.source);
    if (handle?.writes !== "door" || handle.source.effectFor === undefined) return false;
    const read = coerceValue(value, shapeOfProperty(property));
    if (!read.ok) return false;
    const previous = faceOf(property.value, READ_WHOLE).value;
    const json = faceOf(read.value, READ_WHOLE).value satisfies Json;
    return (
      handle.source.effectFor({ subject: subject.subject, property, path: printed, value: json, previous }).toward ===
      "safe"
    );
  } catch {
    return false;
  }
}
