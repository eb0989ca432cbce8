import type { AskedEffect } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Perform } from "./relay-control.ts";
import type { Automation } from "./rows.ts";

/** A run under way. */
export interface Run {
  /** The program as it was when the run began. */
  readonly automation: Automation;
  /** Why it was stopped; undefined while it was not. */
  readonly stopped: string | undefined;
  /**
   * Lets the run's effects out. Once it is stopped, none goes out that would switch something on, also not one that was
   * asked for before and still waits; what goes off always does.
   */
  guard(perform: Perform): Perform;
  end(): void;
}

/** The runs under way; as many as there are callers that wait for one. */
export interface AutomationRuns {
  begin(automation: Automation): Run;
  /** Stops those that match, at once. Returns how many were not stopped before. */
  stop(matches: (automation: Automation) => boolean, reason: string): number;
}

export function createAutomationRuns(): AutomationRuns {
  const running = new Map<Run, AbortController>();

  return {
    begin(automation) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const run: Run = {
        automation,
        get stopped() {
          return signal.aborted ? String(signal.reason) : undefined;
        },
        guard: (perform) => (effect) =>
          perform(effect.toward === "safe" ? effect : unlessStopped(effect, automation, signal)),
        end: () => void running.delete(run),
      };
      running.set(run, stopping);
      return run;
    },
    stop(matches, reason) {
      const found = [...running].filter(([run]) => run.stopped === undefined && matches(run.automation));
      for (const [, stopping] of found) stopping.abort(reason);
      return found.length;
    },
  };
}

/** Does the program switch or set anything of this equipment? */
export function touches({ actions }: Automation, isMeant: (equipmentId: number) => boolean): boolean {
  return actions.some(({ type, equipment_id: id }) => type === "control" && typeof id === "number" && isMeant(id));
}

/** Asked in the lane and right before the first byte: between a question and its turn a stop may have come. */
function unlessStopped(effect: AskedEffect, { id }: Automation, stop: AbortSignal): AskedEffect {
  const stopped = () => farmError("CANCELLED", `The run of automation ${id} was stopped: ${String(stop.reason)}.`);
  return {
    ...effect,
    drive: {
      async send(wire, signal) {
        if (stop.aborted) throw stopped();
        const giveUp = new AbortController();
        const onStop = (): void => giveUp.abort(stopped());
        let left = false;
        stop.addEventListener("abort", onStop, { once: true });
        const firstByte = (): void => {
          if (!left && stop.aborted) throw stopped();
          wire.firstByte();
          left = true;
          // What is on the wire is seen through: cut off, nobody would know what became of it.
          stop.removeEventListener("abort", onStop);
        };
        try {
          return await effect.drive.send({ firstByte }, AbortSignal.any([signal, giveUp.signal]));
        } finally {
          stop.removeEventListener("abort", onStop);
        }
      },
    },
  };
}
