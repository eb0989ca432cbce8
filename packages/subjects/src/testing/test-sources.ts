import { receipt, type AskedEffect, type Outcome } from "@steading/kernel";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Change } from "../graph/change.ts";
import type { Source, SourceContext, Update, WriteOutcome } from "../sources/source.ts";

export const Valve = defineSubject("test.sources.Valve", {
  props: {
    open: p.boolean().writable(),
    target: p.number({ min: 0, max: 100 }).writable(),
    flow: p.number({ min: 0, max: 50, maxAgeMs: 60_000 }),
    mode: p.enum(["auto", "manual"]).writable(),
    label: p.string().config().writable().nullable(),
  },
  derived: { half: (s) => s.target / 2 },
});
export type AnyValve = ReturnType<typeof Valve.create>;

/** An outside system that does what the test tells it. */
export interface ScriptedSource extends Source {
  context: SourceContext | undefined;
  snapshot: readonly Update[];
  /** Everything that was called, in order. */
  readonly calls: string[];
  /** Changes as they were handed over, batch by batch. */
  readonly written: Change[][];
  answer: (changes: readonly Change[]) => WriteOutcome | Promise<WriteOutcome>;
  failStart: Error | undefined;
}

export function scriptedSource(
  options: { readonly writes?: "door" | "mirror"; readonly valve?: AnyValve } = {},
): ScriptedSource {
  const { valve } = options;
  return {
    ...(options.writes === undefined ? {} : { writes: options.writes }),
    context: undefined,
    snapshot: [],
    calls: [],
    written: [],
    answer: () => ({ failed: [] }),
    failStart: undefined,
    start(context) {
      this.calls.push("start");
      this.context = context;
      if (this.failStart !== undefined) return Promise.reject(this.failStart);
      if (valve !== undefined && valve.$path === null) context.attach("", "valve", valve);
      if (valve !== undefined) context.claim(valve, ["open", "target", "flow", "mode"]);
      return Promise.resolve();
    },
    load() {
      this.calls.push("load");
      return Promise.resolve(this.snapshot);
    },
    async writeChanges(changes) {
      this.calls.push(`write ${changes.map(({ property, value }) => `${property}=${String(value)}`).join(" ")}`);
      this.written.push([...changes]);
      return this.answer(changes);
    },
    effectFor: ({ path, value, previous }) => ({
      arguments: { path, value, ...(previous === undefined ? {} : { previous }) },
      target: "valve",
      toward: value === false ? "safe" : "live",
      summary: `set ${path}`,
      observer: "valve",
      observeWith: {},
      drive: { send: () => Promise.resolve(null) },
    }),
    stop() {
      this.calls.push("stop");
      return Promise.resolve();
    },
  };
}

/** A door that carries every effect out at once and lets the source report the read-back. */
export function openDoor(source: ScriptedSource, stage: "acknowledged" | "unknown" | "failed" = "acknowledged") {
  const effects: AskedEffect[] = [];
  return {
    effects,
    perform(effect: AskedEffect): Promise<Outcome> {
      effects.push(effect);
      const { path, value } = effect.arguments;
      if (stage === "acknowledged") source.context?.write([{ path: String(path), value }]);
      const error =
        stage === "acknowledged" ? {} : { error: { code: "X", message: `device ${stage}`, retryable: false } };
      return Promise.resolve({ receipt: receipt("act", stage, 0), ...error });
    },
  };
}
