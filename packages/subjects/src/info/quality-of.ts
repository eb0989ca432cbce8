import type { Slot } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import type { Quality } from "./quality.ts";
import type { Reading } from "./reading.ts";
import { ownerIndex, receivedAt, storedQuality, type Owner } from "./standing.ts";

/** A value's quality when it is looked at: with its age. */
export function qualityOf(reading: Reading, node: Node, i: number): Quality | "error" {
  const slot = reading.layout(node).slot(i);
  if (slot.get !== undefined && reading.failed(node, i)) return "error";
  const standing = reading.standing(node);
  const quality = qualityOfValue(slot, i, reading.value(node, i), standing, reading);
  if (quality !== "good" || ownerIndex(standing, i) === 0) return quality;
  const seen = receivedAt(standing, i);
  const limit = slot.facets.maxAgeMs;
  return seen !== undefined && limit !== undefined && reading.now() - seen > limit ? "stale" : "good";
}

/** A value's quality as its owner reported it, if that owner is still there to vouch for it. */
export function qualityOfValue(
  slot: Slot,
  i: number,
  value: unknown,
  standing: readonly number[] | null,
  owners: { owner(index: number): Owner | undefined },
): Quality {
  if (value === null || value === undefined) {
    if (slot.shape !== undefined) return "good";
    // Null from a device that said so badly is bad; null that nobody has filled yet is unknown.
    return standing !== null && storedQuality(standing, i) === "bad" ? "bad" : "unknown";
  }
  if (typeof value === "number" && value - value !== 0) return "bad";
  if (standing === null) return "good";
  const owner = owners.owner(ownerIndex(standing, i));
  if (owner === undefined) return "good";
  const stored = storedQuality(standing, i);
  return stored === "good" && !owner.isSynchronized ? "stale" : stored;
}
