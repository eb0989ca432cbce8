import type { Caller, Clock, Duration, Log } from "@steading/kernel";
import type { Completer } from "./prompt-source.ts";

export interface CompletionAsked {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly chosen: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

export interface Completion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** Never an error: a reference nobody completes, a slow or failing completer, all propose nothing. */
export type Complete = (asked: CompletionAsked) => Promise<Completion>;

const NOTHING: Completion = { values: [], total: 0, hasMore: false };

export function createCompletions({
  completers,
  clock,
  within,
  most,
  log,
}: {
  readonly completers: readonly Completer[];
  readonly clock: Clock;
  readonly within: Duration;
  readonly most: number;
  readonly log: Log;
}): Complete {
  function find({ ref, argument }: CompletionAsked): Completer | undefined {
    return completers.find((each) => {
      const same =
        "prompt" in each.of
          ? ref.type === "ref/prompt" && ref.name === each.of.prompt
          : ref.type === "ref/resource" && ref.uri === each.of.template;
      return same && each.argument === argument.name;
    });
  }

  return async (asked) => {
    const completer = find(asked);
    if (completer === undefined) return NOTHING;
    const aborter = new AbortController();
    const signal = AbortSignal.any([asked.signal, aborter.signal]);
    const tooLate = clock.timer(within, () => aborter.abort(new Error("The completion took too long")));
    try {
      const given = { value: asked.argument.value, chosen: asked.chosen, caller: asked.caller, signal };
      const values = await Promise.race([Promise.resolve(completer.complete(given)), rejectedBy(signal)]);
      return { values: values.slice(0, most), total: values.length, hasMore: values.length > most };
    } catch (fault) {
      if (!signal.aborted) log.error("A completer failed.", fault);
      return NOTHING;
    } finally {
      tooLate();
    }
  };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
