import { SteadingError } from "@steading/kernel";
import * as z from "zod";
import type { HandTool } from "./hand-dispatcher.ts";

/** One tool for each way a call can go. */
export const HAND_TOOLS: readonly HandTool[] = [
  {
    name: "echo",
    essential: true,
    input: z.object({ text: z.string().optional() }),
    run: (input) => ({ echo: typeof input["text"] === "string" ? input["text"] : null }),
  },
  {
    name: "who.am.i",
    run: (_, { caller }) => ({
      principal: caller.principal,
      role: caller.role,
      transport: caller.transport,
      traceparent: caller.traceparent ?? null,
    }),
  },
  {
    name: "refuse",
    run() {
      throw new SteadingError("VALVE_RESTING", "The valve must rest.", { retryable: true });
    },
  },
  { name: "operate", minimumRole: "operator", toolset: "works", intent: "MUTATE", run: () => ({ operated: true }) },
  {
    name: "count",
    run(_, { progress }) {
      for (const step of [1, 1, 2]) progress(step, 2, `step ${step}`);
      return { counted: 2 };
    },
  },
  {
    name: "wait",
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new SteadingError("CANCELLED", "Cancelled.")), { once: true });
      }),
  },
];
