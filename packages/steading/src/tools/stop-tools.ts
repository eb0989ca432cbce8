import { defineTool, minutes, receiptJson, SteadingError, type ToolContext, type Toolset } from "@steading/kernel";
import type { Graph } from "@steading/subjects";
import * as z from "zod";
import type { Arming } from "../hub/arming.ts";
import { ReceiptJson } from "./hub-change.ts";

/** What a thing is that can be switched off, whichever part it belongs to. */
const SWITCH = "steading.Switch";
/** More than any place has; beyond it the answer names only what went wrong. */
const MOST_LISTED = 1_000;
/** Devices are told side by side, but not all in one breath. */
const TOGETHER = 32;

const Stopped = z.object({
  path: z.string(),
  receipt: ReceiptJson.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** Everything off, at once, and nothing on again until a person says so. */
export function createStopTools({ graph, arming }: { readonly graph: Graph; readonly arming: Arming }): Toolset {
  const stop = defineTool({
    name: "emergency_stop",
    title: "Emergency stop",
    summary:
      "Switches everything off that can be switched off, and lets nothing be switched on again until a person at the hub's machine runs `steading arm`. For danger, not for tidying up.",
    input: z.object({}),
    output: z.object({
      held: z.boolean().describe("Whether the hub refuses to switch anything on from here on."),
      off: z.number().describe("How many things are known to be off."),
      not_known: z.array(Stopped).describe("Those of which nobody can tell; look at them."),
      things: z.array(Stopped),
      cut: z.boolean(),
    }),
    intent: "MUTATE",
    minimumRole: "operator",
    deadline: minutes(2),
    urgent: () => true,
    annotations: { destructiveHint: true, idempotentHint: true },
    async handler(_, { caller, perform, progress }) {
      // A mark that cannot be written must not keep anything on.
      const held = await arming.stop(caller).then(
        () => true,
        () => false,
      );
      const paths = [...graph.ofType(SWITCH)].flatMap((subject) => graph.pathOf(subject) ?? []);
      const things: z.infer<typeof Stopped>[] = [];
      const waiting = [...paths];
      const worker = async (): Promise<void> => {
        for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
          things.push(await switchOff(path, { graph, perform }));
          progress(things.length, paths.length);
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, worker));
      const notKnown = things.filter(({ receipt }) => receipt?.stage !== "observed");
      return {
        held,
        off: things.length - notKnown.length,
        not_known: notKnown.slice(0, MOST_LISTED),
        things: things.slice(0, MOST_LISTED),
        cut: things.length > MOST_LISTED,
      };
    },
  });
  return { name: "stop", tools: [stop] };
}

async function switchOff(
  path: string,
  { graph, perform }: { readonly graph: Graph; readonly perform: ToolContext["perform"] },
): Promise<z.infer<typeof Stopped>> {
  try {
    const { outcome } = await graph.set(`${path}/on`, false, { perform });
    return outcome === undefined ? { path } : { path, receipt: receiptJson(outcome.receipt) };
  } catch (error) {
    const { code, message } = error instanceof SteadingError ? error : new SteadingError("INTERNAL", "It failed.");
    return { path, error: { code, message } };
  }
}
