import type { AskedEffect, Json } from "@steading/kernel";
import { outsideValue } from "../coerce/outside-value.ts";
import { SlotInfo } from "../info/node-info.ts";
import type { PropertyInfo } from "../info/subject-info.ts";
import type { Node } from "../instance/node.ts";
import { isSame } from "../instance/slot-access.ts";
import type { SourceHost } from "../sources/source-host.ts";
import { subjectError } from "../subject-error.ts";
import type { Change } from "./change.ts";
import type { Engine } from "./engine.ts";
import type { WriteOptions, WriteResult } from "./graph.ts";
import { checkWhole } from "./whole-state.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface OutsideDeps {
  readonly engine: Engine;
  readonly hostOf: (node: Node, slot: number) => SourceHost | undefined;
  readonly pathOf: (node: Node) => string | null;
  readonly now: () => number;
}

/** A write by somebody who is neither the subject's own code nor its source. */
export async function writeOutside(
  deps: OutsideDeps,
  property: PropertyInfo,
  given: unknown,
  options: WriteOptions = {},
): Promise<WriteResult> {
  if (property.shape !== undefined || !SlotInfo.isOne(property))
    throw subjectError("NOT_A_PROPERTY", `${property.name} does not hold a value that can be set.`);
  const { node, slot } = SlotInfo.place(property);
  if (node.core !== deps.engine)
    throw subjectError("PATH_NOT_FOUND", `This ${node.layout.type.name} is no longer attached.`);
  if (!property.isWritable)
    throw subjectError(
      "PROPERTY_NOT_WRITABLE",
      `${property.name} of ${node.layout.type.name} cannot be written from outside.`,
    );
  const value = outsideValue(property, given);
  const declared = node.layout.slot(slot);
  const previous = property.value;
  if (declared.set !== undefined) {
    declared.set(node.subject, value);
    return { previous, value: property.value, status: "applied" };
  }
  checkWhole(node, new Map([[slot, value]]));
  const host = deps.hostOf(node, slot);
  if (host === undefined) {
    deps.engine.commit(node, slot, value, { origin: "local", outside: true });
    return { previous, value: valueAt(node, slot), status: "applied" };
  }
  if (host.writes === "door") return throughDoor(deps, host, property, value, options);
  if (options.await === "device") return toMirror(deps, host, property, value, options);
  deps.engine.commit(node, slot, value, { origin: "local", outside: true });
  return { previous, value: valueAt(node, slot), status: isSame(declared, previous, value) ? "applied" : "queued" };
}

/** The model does not change here: the read-back that follows the effect comes in through the source. */
async function throughDoor(
  deps: OutsideDeps,
  host: SourceHost,
  property: SlotInfo,
  value: unknown,
  { perform }: WriteOptions,
): Promise<WriteResult> {
  const previous = property.value;
  if (perform === undefined) {
    throw subjectError(
      "DOOR_NEEDED",
      `${property.name} belongs to the source ${host.name} and is only written through the door; give \`perform\`.`,
    );
  }
  const effect = effectOf(deps, host, property, value);
  // What makes things safe is not held up by our own view of the connection: the driver tries, and the door records it.
  if (effect.toward !== "safe") requireAvailable(host);
  const outcome = await perform(effect);
  const { stage } = outcome.receipt;
  if (stage === "observed" || stage === "acknowledged") {
    return { previous, value: property.value, status: stage === "observed" ? "confirmed" : "acknowledged", outcome };
  }
  const why = outcome.error?.message ?? "it is not known what became of it";
  if (stage === "failed") {
    throw subjectError("SOURCE_REJECTED", `${property.name} was not written: ${why}`, {
      details: { receipt: stage, action: outcome.receipt.action },
    });
  }
  throw subjectError("TIMEOUT", `${property.name} was sent and not confirmed: ${why}`, {
    details: { receipt: "unknown", action: outcome.receipt.action },
  });
}

/** What writing this value does outside, in the words of the source that owns it. */
export function effectOf(deps: OutsideDeps, host: SourceHost, property: SlotInfo, value: unknown): AskedEffect {
  const { node } = SlotInfo.place(property);
  const effectFor = host.source.effectFor?.bind(host.source);
  if (effectFor === undefined) throw subjectError("SOURCE_REJECTED", `The source ${host.name} takes no writes.`);
  return effectFor({
    subject: node.subject,
    property,
    path: `${deps.pathOf(node) ?? ""}/${property.name}`.replace("//", "/"),
    value: value as Json, // outside values are JSON, read with the property's type
    previous: toJson(property.value),
  });
}

async function toMirror(
  deps: OutsideDeps,
  host: SourceHost,
  property: SlotInfo,
  value: unknown,
  { signal }: WriteOptions,
): Promise<WriteResult> {
  const { node, slot } = SlotInfo.place(property);
  const previous = property.value;
  requireAvailable(host);
  const at = deps.now();
  const change: Change = {
    subject: node.subject,
    property: property.name,
    old: previous,
    value,
    quality: "good",
    revision: deps.engine.pulse.revision,
    changedAt: at,
    receivedAt: at,
    origin: "local",
  };
  const outcome = await host.source.writeChanges?.([change], signal ?? new AbortController().signal);
  if (outcome === undefined || outcome.failed.length > 0) {
    throw subjectError("SOURCE_REJECTED", `The source ${host.name} did not take ${property.name}.`, {
      cause: outcome?.error,
    });
  }
  deps.engine.commit(node, slot, value, { origin: { confirmedBy: host.name }, outside: true });
  return { previous, value: valueAt(node, slot), status: "acknowledged" };
}

export function requireAvailable(host: SourceHost): void {
  if (!host.available)
    throw subjectError("SOURCE_UNAVAILABLE", `The source ${host.name} is not connected; nothing was changed.`);
}

function toJson(value: unknown): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object") return undefined;
  try {
    return JSON.parse(JSON.stringify(value)) as Json; // what JSON.stringify made is JSON
  } catch {
    return undefined;
  }
}
