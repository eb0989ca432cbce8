import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { seconds, type Cancel, type Clock, type Duration, type SteadingError } from "@steading/kernel";
import type { NativeResult } from "../native/native-tool.ts";
import { shellError } from "../shell-errors.ts";
import type { TaskStore } from "../tasks/task-store.ts";

/** How long a call that may need a yes is waited for before it goes on as a task: the question comes first. */
const FIRST_WORD = seconds(1);

/** Who waits for an answer. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Is it the client itself, which could be asked something? */
  mayAsk(): boolean;
}

export interface LongCall {
  readonly principal: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** It changes something outside: what became of it matters after a restart, and a repeat is no small thing. */
  readonly acts: boolean;
  answer(waiting: Waiting): Promise<CallToolResult | InputRequiredResult>;
}

/** Calls whose tool may take longer than any client should be kept waiting. */
export interface LongCalls {
  /** Ends the call when its client has waited long enough. */
  within(call: LongCall): Promise<NativeResult>;
  asTask(call: LongCall): Promise<NativeResult>;
  /** A yes is asked for before there is a task, so the work begins as a call and becomes a task if it goes on. */
  askedThenTask(call: LongCall): Promise<NativeResult>;
}

export function createLongCalls({
  tasks,
  clock,
  longest,
}: {
  readonly tasks: TaskStore;
  readonly clock: Pick<Clock, "timer">;
  readonly longest: Duration;
}): LongCalls {
  /** Undefined: it takes longer. */
  async function firstOf<T>(work: Promise<T>, time: Duration): Promise<T | undefined> {
    let cancel: Cancel = () => {};
    const late = new Promise<undefined>((resolve) => (cancel = clock.timer(time, () => resolve(undefined))));
    try {
      return await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }

  async function endLate<T>(work: Promise<T>, aborter: AbortController, acts: boolean): Promise<T | CallToolResult> {
    const result = await firstOf(work, longest);
    if (result !== undefined) return result;
    work.catch(() => {}); // nobody waits for what it says after this
    aborter.abort(new Error("The call took too long"));
    return failed(tooLong(longest, acts));
  }

  return {
    within({ signal, acts, answer }) {
      const aborter = new AbortController();
      const work = answer({ signal: AbortSignal.any([signal, aborter.signal]), mayAsk: () => true });
      return endLate(work, aborter, acts);
    },

    async asTask({ principal, acts, answer }) {
      const task = await tasks.create({
        principal,
        durable: acts,
        run: ({ signal }) => answer({ signal, mayAsk: () => false }),
      });
      return task === undefined ? tooMany() : { resultType: "task", ...task };
    },

    async askedThenTask({ principal, signal, acts, answer }) {
      const aborter = new AbortController();
      const leave = (): void => aborter.abort(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      let isCall = true;
      const work = answer({ signal: aborter.signal, mayAsk: () => isCall });
      try {
        const first = await firstOf(work, FIRST_WORD);
        if (first !== undefined) return first;
        isCall = false;
        const task = await tasks.create({
          principal,
          durable: acts,
          async run(own) {
            own.signal.addEventListener("abort", () => aborter.abort(own.signal.reason), { once: true });
            const result = await work;
            // It asked in the very moment in which it became a task: the id tells how to go on instead.
            return "inputRequests" in result ? answer({ signal: aborter.signal, mayAsk: () => false }) : result;
          },
        });
        if (task !== undefined) return { resultType: "task", ...task };
        // What has begun is not given up for want of a place; its client waits for it.
        isCall = true;
        return await endLate(work, aborter, acts);
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },
  };
}

function tooLong(longest: Duration, acts: boolean): SteadingError {
  const sentence = `The call was ended after ${longest / 1_000} seconds.`;
  if (!acts) return shellError("CALL_TOO_LONG", sentence);
  return shellError("CALL_TOO_LONG", sentence, {
    retryable: false,
    hint: "What was sent goes on; `list_actions` tells what became of it. Repeat only with the same key.",
  });
}

function tooMany(): CallToolResult {
  return failed(shellError("TOO_MANY_TASKS", "Too many tasks are kept already."));
}

function failed(error: SteadingError): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(error.toJson()) }], isError: true };
}
