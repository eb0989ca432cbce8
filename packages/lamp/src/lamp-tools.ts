import {
  defineTool,
  receiptJson,
  STAGES,
  SteadingError,
  type Outcome,
  type ToolContext,
  type Toolset,
} from "@steading/kernel";
import * as z from "zod";
import { lampError } from "./lamp-errors.ts";
import type { LampKeeper, SetBack } from "./lamp-keeper.ts";

const input = z.object({ lamp: z.string().min(1).max(63).describe("Its name below /lamps, for example demo.") });
const output = z.object({
  lamp: z.string(),
  receipt: z.object({
    action: z.string().describe("For get_action."),
    stage: z.enum(STAGES).describe("How far it is known to have got."),
    at: z.iso.datetime(),
    observed: z.unknown().optional().describe("What the lamp said afterwards."),
  }),
});

/** What is done to a lamp seldom enough that somebody is asked first. */
export function createLampTools({ lamp: keeperOf }: { lamp(name: string): LampKeeper | undefined }): Toolset {
  async function setBack(what: SetBack, name: string, summary: string, { perform }: ToolContext) {
    const keeper = keeperOf(name);
    if (!keeper) throw lampError("LAMP_UNKNOWN", "There is no lamp of this name.");
    return answer(name, await perform(keeper.effect(what, summary)));
  }
  const shared = { input, output, intent: "MUTATE", minimumRole: "operator" } as const;

  const resetCounter = defineTool({
    ...shared,
    name: "lamp_reset_counter",
    title: "Set a lamp's counter back",
    summary:
      "Sets a lamp's count of switchings back to zero. The count is lost, so the person you act for is asked first.",
    confirm: "confirm",
    annotations: { destructiveHint: true, idempotentHint: true },
    handler: ({ lamp }, context) =>
      setBack("reset-counter", lamp, `Set the switching counter of the lamp ${lamp} back to zero.`, context),
  });
  const factoryReset = defineTool({
    ...shared,
    name: "lamp_factory_reset",
    title: "Reset a lamp as delivered",
    summary: "Makes a lamp as it was delivered: off, all counts lost. Somebody other than you has to approve it.",
    confirm: "approve",
    annotations: { destructiveHint: true, idempotentHint: true },
    handler: ({ lamp }, context) =>
      setBack("factory-reset", lamp, `Reset the lamp ${lamp} as delivered: off, counter at zero.`, context),
  });
  return { name: "lamp", tools: [factoryReset, resetCounter] };
}

/** The receipt of what is known; what failed, or nobody knows of, is an error that carries it. */
function answer(lamp: string, { receipt, error }: Outcome): z.infer<typeof output> {
  const told = receiptJson(receipt);
  if (error === undefined) return { lamp, receipt: told };
  throw new SteadingError(error.code, error.message, { retryable: error.retryable, details: { lamp, receipt: told } });
}
