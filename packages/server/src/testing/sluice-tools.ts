import {
  createDispatcher,
  defineTool,
  hours,
  silentLog,
  type Confirm,
  type Duration,
  type Ledger,
  type ManualClock,
  type WorkingDispatcher,
} from "@steading/kernel";
import { createTrialDoor, type TrialDoor } from "@steading/kernel/testing";
import * as z from "zod";
import { createFindToolset } from "../find/find-toolset.ts";

/** A sluice behind the real door: one tool for each kind of yes, and what has moved. */
export interface SluiceTools extends Pick<TrialDoor, "approvals" | "clock" | "ledger"> {
  readonly dispatcher: WorkingDispatcher;
  /** Each percentage it was opened to, in order. */
  readonly opened: number[];
}

export function createSluiceTools(given: { readonly ledger?: Ledger; readonly clock?: ManualClock } = {}): SluiceTools {
  const trial = createTrialDoor(given);
  const { door, reception, clock, approvals, ledger } = trial;
  const opened: number[] = [];
  door.registerObserver("sluice", () => ({
    read: () => Promise.resolve(reception.received(opened.at(-1) ?? 0)),
    satisfies: () => true,
  }));
  const tool = (name: string, confirm: Confirm, more: { deadline?: Duration; pause?: Duration } = {}) =>
    defineTool({
      name,
      title: name,
      summary: "Opens the sluice.",
      input: z.object({ percent: z.number(), note: z.string().default("") }),
      intent: "MUTATE",
      confirm,
      minimumRole: "operator",
      ...(more.deadline === undefined ? {} : { deadline: more.deadline }),
      async handler({ percent, note }, { perform, signal }) {
        if (more.pause !== undefined) await clock.sleep(more.pause, signal);
        const { receipt } = await perform({
          arguments: { percent, note },
          target: "sluice",
          toward: "live",
          summary: `Open the sluice to ${percent} %.`,
          observer: "sluice",
          observeWith: {},
          drive: {
            send: (wire) => {
              wire.firstByte();
              opened.push(percent);
              return Promise.resolve(true);
            },
          },
        });
        return { percent, stage: receipt.stage };
      },
    });
  const tools = [
    tool("open_sluice", "confirm"),
    tool("other_sluice", "confirm"),
    tool("blow_dam", "approve"),
    tool("open_slowly", "confirm", { deadline: hours(1) }),
    tool("ponder_then_open", "confirm", { deadline: hours(1), pause: hours(0.5) }),
  ];
  const dispatcher: WorkingDispatcher = createDispatcher({
    toolsets: [{ name: "sluice", tools }, createFindToolset({ dispatcher: () => dispatcher })],
    door,
    clock,
    log: silentLog,
  });
  return { dispatcher, approvals, clock, ledger, opened };
}
