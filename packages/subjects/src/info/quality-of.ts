import type { Node } from "../instance/node.ts";
import type { Quality } from "./quality.ts";
import type { Reading } from "./reading.ts";
import { ownerIndex, receivedAt, storedQuality } from "./standing.ts";

export function qualityOf(reading: Reading, node: Node, i: number): Quality | "error" {
  const slot = reading.layout(node).slot(i);
  if (slot.get !== undefined && reading.failed(node, i)) return "error";
  const value = reading.value(node, i);
  if (value === null || value === undefined) return slot.shape === undefined ? emptyQuality(reading, node, i) : "good";
  if (typeof value === "number" && !Number.isFinite(value)) return "bad";
  const standing = reading.standing(node);
  const owner = reading.owner(ownerIndex(standing, i));
  if (standing === null || owner === undefined) return "good";
  const stored = storedQuality(standing, i);
  if (stored !== "good") return stored;
  if (!owner.isSynchronized) return "stale";
  const seen = receivedAt(standing, i);
  const limit = slot.facets.maxAgeMs;
  return seen !== undefined && limit !== undefined && reading.now() - seen > limit ? "stale" : "good";
}

/** Null from a device that said so badly is bad; null that nobody has filled yet is unknown. */
function emptyQuality(reading: Reading, node: Node, i: number): Quality {
  const standing = reading.standing(node);
  return standing !== null && storedQuality(standing, i) === "bad" ? "bad" : "unknown";
}
