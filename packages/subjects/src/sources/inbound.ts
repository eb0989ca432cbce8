import type { Log } from "@steading/kernel";
import type { Origin } from "../graph/change.ts";
import type { Engine } from "../graph/engine.ts";
import type { Quality } from "../info/quality.ts";
import { changedAt, setQuality, setReceived, setTimes, storedQuality } from "../info/standing.ts";
import { nodeOf, isSubject } from "../instance/held.ts";
import type { Slot } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import { isSame, mismatch } from "../instance/slot-access.ts";
import { subjectError } from "../subject-error.ts";
import type { Ownership } from "./ownership.ts";
import type { Update } from "./source.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface InboundDeps {
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly log: Log;
  readonly owner: number;
  readonly origin: Origin;
  /** The property at a path that the source gave. Throws when there is none. */
  readonly place: (path: string) => { readonly node: Node; readonly slot: number };
  /** A mirror's local write that is still on its way beats what comes in from before it. */
  readonly isHeld?: (node: Node, slot: number) => boolean;
}

export interface Inbound {
  /** Applies updates in one batch. A bad one is logged and dropped; the others go on. Returns how many were bad. */
  apply(updates: readonly Update[], options?: { readonly isSnapshot?: boolean }): number;
}

/** Log lines about bad updates of one source before only their number is told. */
const MAX_COMPLAINTS = 50;
const MAX_PLACES = 100_000;

export function createInbound({ engine, ownership, log, owner, origin, place, isHeld }: InboundDeps): Inbound {
  const places = new Map<string, { readonly node: Node; readonly slot: number }>();
  let placesRevision = -1;
  let complaints = 0;

  function placeOf(update: Update): { readonly node: Node; readonly slot: number } {
    if (!("path" in update)) return placeOnSubject(update.subject, update.property);
    if (placesRevision !== engine.structureRevision || places.size >= MAX_PLACES) {
      places.clear();
      placesRevision = engine.structureRevision;
    }
    const known = places.get(update.path);
    if (known !== undefined) return known;
    const found = place(update.path);
    // Looking may have settled derived children; what was found is true for the structure as it is afterwards.
    if (placesRevision === engine.structureRevision) places.set(update.path, found);
    return found;
  }

  function placeOnSubject(subject: unknown, property: string): { readonly node: Node; readonly slot: number } {
    if (!isSubject(subject)) throw subjectError("NOT_A_SUBJECT", "An update names no subject.");
    const node = nodeOf(subject);
    const slot = node.layout.index.get(property);
    if (slot === undefined) throw subjectError("PATH_NOT_FOUND", `${subject.$type} has no property ${property}.`);
    if (node.core !== engine) throw subjectError("PATH_NOT_FOUND", `This ${subject.$type} is not attached.`);
    return { node, slot };
  }

  function applyOne(update: Update, isSnapshot: boolean): void {
    const { node, slot } = placeOf(update);
    const declared = node.layout.slot(slot);
    if (declared.shape !== undefined || declared.get !== undefined)
      throw subjectError(
        "PROPERTY_NOT_WRITABLE",
        `${declared.name} of ${node.layout.type.name} cannot be owned by a source.`,
      );
    if (!ownership.claim(node, slot, owner))
      throw subjectError("CONFLICT", `${declared.name} belongs to another source.`, { retryable: false });
    if (isSnapshot && isHeld?.(node, slot) === true) return;
    const value = update.value ?? null;
    const quality = update.quality ?? qualityFor(declared, value);
    if (value !== null && !fits(declared, value)) throw mismatch(node, declared, value);
    engine.keepStanding(node);
    const { standing } = node;
    const isRequalified = standing !== null && storedQuality(standing, slot) !== quality;
    if (standing !== null) setQuality(standing, slot, quality);
    if (isSame(declared, valueAt(node, slot), value)) {
      if (standing !== null) confirmed(standing, slot, update.at);
      if (isRequalified) engine.requalify(node, slot, { origin, changedAt: update.at });
      return;
    }
    engine.commit(node, slot, value, { origin, changedAt: update.at, requalified: isRequalified });
  }

  /** The value is as it was; that it still is, is worth knowing. */
  function confirmed(standing: number[], slot: number, at: number | undefined): void {
    const now = engine.time.now();
    if (changedAt(standing, slot) === undefined) setTimes(standing, slot, at ?? now, now);
    else setReceived(standing, slot, now);
  }

  function complain(update: Update, error: unknown): void {
    complaints += 1;
    if (complaints > MAX_COMPLAINTS) return;
    const target = "path" in update ? update.path.slice(0, 200) : `${update.subject.$type}.${update.property}`;
    log.error("An update from a source was dropped.", error, { source: ownership.owner(owner)?.name ?? "", target });
    if (complaints === MAX_COMPLAINTS)
      log.warn("Further bad updates of this source are only counted.", { source: ownership.owner(owner)?.name ?? "" });
  }

  return {
    apply(updates, { isSnapshot = false } = {}) {
      let bad = 0;
      engine.delivery.batch(
        () => {
          for (const update of updates) {
            try {
              applyOne(update, isSnapshot);
            } catch (error) {
              bad += 1;
              complain(update, error);
            }
          }
        },
        () => engine.time.renew(),
      );
      return bad;
    },
  };
}

/** A value of the right kind is taken even beyond its limits: the device knows better, and the flag tells. */
function fits({ type, check }: Slot, value: unknown): boolean {
  return type?.kind === "enum" ? typeof value === "string" : check(value);
}

/** A step is what a writer may choose; measurements are as fine as they are. */
function qualityFor({ type, facets: { min, max } }: Slot, value: unknown): Quality {
  if (value === null) return "unknown";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return "bad";
    return (min !== undefined && value < min) || (max !== undefined && value > max) ? "bad" : "good";
  }
  if (type?.kind === "enum" && typeof value === "string") return type.members.includes(value) ? "good" : "bad";
  return "good";
}
