import { millis, type Cancel, type Json, type ToolContext } from "@steading/kernel";
import type * as z from "zod";
import type { PropertyInfo } from "../info/subject-info.ts";
import { coerceValue } from "./coerce-value.ts";
import type { WATCH_TESTS, WatchInput, WatchOutput } from "./extras-schemas.ts";
import { locateProperty } from "./locate-target.ts";
import { shapeOfProperty } from "./property-shape.ts";
import { toolError } from "./tool-errors.ts";
import type { World } from "./tool-world.ts";
import { faceOf, LISTED } from "./value-face.ts";

const DEFAULT_WAIT_MS = 25_000;
const MAX_WAIT_MS = 60_000;

type WatchTest = (typeof WATCH_TESTS)[number];

interface Watched {
  readonly path: string;
  readonly property: PropertyInfo;
  readonly test: WatchTest;
  readonly wanted: unknown;
  changed: boolean;
}

/** Waits until the conditions hold, the time is up, or the caller leaves. Holds listeners only while it waits. */
export async function answerWatch(
  world: World,
  input: z.infer<typeof WatchInput>,
  context: Pick<ToolContext, "signal">,
): Promise<z.infer<typeof WatchOutput>> {
  const watched = input.conditions.map((condition) => readCondition(world, condition));
  const { clock } = world.graph;
  const began = clock.monotonic();
  const waitMs = Math.min(input.timeoutMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
  // Built at the moment that ends the waiting: a moment later the values may be others.
  const answer = (met: boolean): z.infer<typeof WatchOutput> => ({
    met,
    waitedMs: Math.round(clock.monotonic() - began),
    conditions: watched.map((one) => ({ path: one.path, met: holds(one), ...shown(one.property) })),
  });
  return untilMet(world, watched, input.mode ?? "any", waitMs, context.signal, answer);
}

function readCondition(world: World, condition: z.infer<typeof WatchInput>["conditions"][number]): Watched {
  const { path, property } = locateProperty(world, condition.path);
  world.access.requireRead(property, path);
  const test = condition.test ?? "changes";
  if (test === "changes") return { path, property, test, wanted: undefined, changed: false };
  const read = coerceValue(condition.value, { ...shapeOfProperty(property), nullable: true });
  const isOrder = test !== "equals" && test !== "notEquals";
  if (!read.ok || (isOrder && typeof read.value !== "number"))
    throw toolError(
      "INVALID_ARGUMENTS",
      `The condition on ${path} needs a value of its type ${property.type}${isOrder ? ", and a number" : ""}.`,
    );
  return { path, property, test, wanted: read.value, changed: false };
}

function untilMet<T>(
  world: World,
  watched: readonly Watched[],
  mode: "any" | "all",
  waitMs: number,
  signal: AbortSignal,
  answer: (met: boolean) => T,
): Promise<T> {
  const isMet = (): boolean => (mode === "any" ? watched.some(holds) : watched.every(holds));
  if (isMet() || waitMs === 0 || signal.aborted) return Promise.resolve(answer(isMet()));
  return new Promise((resolve, reject) => {
    const cancels: Cancel[] = [];
    let isOver = false;
    const end = (met: boolean): void => {
      if (isOver) return;
      isOver = true;
      for (const cancel of cancels) cancel();
      try {
        resolve(answer(met));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onAbort = (): void => end(false);
    signal.addEventListener("abort", onAbort, { once: true });
    cancels.push(() => signal.removeEventListener("abort", onAbort));
    cancels.push(world.graph.clock.timer(millis(waitMs), () => end(isMet())));
    for (const one of watched)
      cancels.push(
        one.property.subject.subject.$on(one.property.name, () => {
          one.changed = true;
          if (isMet()) end(true);
        }),
      );
  });
}

function holds({ property, test, wanted, changed }: Watched): boolean {
  if (test === "changes") return changed;
  const { value } = property;
  if (test === "equals" || test === "notEquals") return isSame(value, wanted) === (test === "equals");
  if (typeof value !== "number" || typeof wanted !== "number") return false;
  switch (test) {
    case "above":
      return value > wanted;
    case "below":
      return value < wanted;
    case "atLeast":
      return value >= wanted;
    case "atMost":
      return value <= wanted;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return (
    Object.is(a, b) ||
    (typeof a === "object" && JSON.stringify(faceOf(a, LISTED)) === JSON.stringify(faceOf(b, LISTED)))
  );
}

function shown(property: PropertyInfo): { value: Json; quality?: string; changedAt?: string } {
  const { value, isBad } = faceOf(property.value, LISTED);
  const quality = isBad === true ? "bad" : property.quality;
  return {
    value,
    ...(quality === "good" ? {} : { quality }),
    ...(property.changedAt === undefined ? {} : { changedAt: new Date(property.changedAt).toISOString() }),
  };
}
