import {
  defineTool,
  effectiveRole,
  kernelError,
  receiptJson,
  roleAtLeast,
  type Caller,
  type JsonObject,
  type Role,
  type Tool,
} from "@steading/kernel";
import * as z from "zod";
import { automationEffect, checkCarriedOut } from "../model/automation-effect.ts";
import { forModels } from "./model-text.ts";
import { TOOL_DEADLINE } from "./tool-deadline.ts";
import type { FarmToolDeps } from "./tool-deps.ts";

/** Who may act. The door decides it; asked before as well, so that nobody else learns what there is to act on. */
const ACTOR: Role = "operator";

// Listed to every role, as the client expects.
const WRITE = {
  intent: "MUTATE",
  confirm: "plain",
  minimumRole: "viewer",
  unknownKeys: "ignore",
  essential: true,
  deadline: TOOL_DEADLINE,
} as const;

export function createWriteTools({ core, descriptions }: FarmToolDeps): readonly Tool[] {
  const { relays, automations } = core;
  const about = (tool: Parameters<typeof descriptions.describe>[0]) => (): string => descriptions.describe(tool);

  return [
    defineTool({
      ...WRITE,
      name: "control_relay",
      title: "Control relay",
      summary: about("control_relay"),
      input: z.object({
        equipment_id: z.int(),
        channel: z.int(),
        state: z.boolean(),
        duration_seconds: z.int().min(1).max(21_600).optional(),
        reason: z.string().max(500).optional(),
      }),
      urgent: ({ state }) => !state,
      output: z.looseObject({
        success: z.boolean(),
        channel: z.int(),
        state: z.boolean(),
        writeOnly: z.boolean(),
        confirmed: z.boolean(),
      }),
      annotations: { idempotentHint: true, destructiveHint: true },
      async handler({ equipment_id, channel, state, duration_seconds: durationSeconds, reason }, { caller, perform }) {
        checkMayAct(caller);
        const request = { equipmentId: equipment_id, channel, state, source: "mcp", reason, durationSeconds } as const;
        const switched = await relays.switch(request, (effect) => perform({ ...effect, minimumRole: ACTOR }));
        return switched as JsonObject & {
          success: boolean;
          channel: number;
          state: boolean;
          writeOnly: boolean;
          confirmed: boolean;
        };
      },
    }),
    defineTool({
      ...WRITE,
      name: "trigger_automation",
      title: "Trigger automation",
      summary: about("trigger_automation"),
      input: z.object({ automation_id: z.int() }),
      output: z.looseObject({ success: z.boolean(), automation_id: z.int(), executed_actions: z.array(z.unknown()) }),
      annotations: { destructiveHint: true },
      async handler({ automation_id }, { caller, perform }) {
        checkMayAct(caller);
        const asOperator: typeof perform = (effect) => perform({ ...effect, minimumRole: ACTOR });
        const automation = automations.get(automation_id);
        let answer: JsonObject = {};
        // The run as a whole is an effect, so that a repeated key does not run it twice; what it switches are more of them.
        const outcome = await asOperator(
          automationEffect({
            automation,
            verb: "trigger",
            toward: "live",
            arguments: {},
            run: async () => {
              answer = await automations.trigger(automation_id, {
                perform: asOperator,
                source: "manual",
                by: caller.principal,
                asked: automation,
              });
              return answer;
            },
          }),
        );
        checkCarriedOut(outcome);
        const told = outcome.replayed === true ? outcome.acknowledgement : answer;
        return { ...forModels(told as JsonObject), receipt: receiptJson(outcome.receipt) } as never; // what `run` answered
      },
    }),
    defineTool({
      ...WRITE,
      name: "toggle_automation",
      title: "Toggle automation",
      summary: about("toggle_automation"),
      input: z.object({ automation_id: z.int(), enabled: z.boolean().optional() }),
      urgent: ({ enabled }) => enabled === false,
      output: z.looseObject({ enabled: z.boolean(), id: z.int(), name: z.string() }),
      annotations: { destructiveHint: false, idempotentHint: false },
      async handler({ automation_id, enabled }, { caller, perform }) {
        checkMayAct(caller);
        const automation = automations.get(automation_id);
        const wanted = enabled ?? !automation.enabled;
        const outcome = await perform({
          ...automationEffect({
            automation,
            verb: wanted ? "enable" : "disable",
            toward: wanted ? "live" : "safe",
            arguments: { enabled: wanted },
            run: async () => {
              await automations.toggle(automation_id, wanted, caller.principal);
              return { enabled: wanted };
            },
          }),
          minimumRole: ACTOR,
        });
        checkCarriedOut(outcome);
        const { id, name } = automation;
        return { enabled: wanted, id, name: forModels(name), receipt: receiptJson(outcome.receipt) };
      },
    }),
  ];
}

function checkMayAct(caller: Caller): void {
  if (roleAtLeast(effectiveRole(caller), ACTOR)) return;
  throw kernelError("ACCESS_DENIED", `This needs the role ${ACTOR}.`, { details: { needed: ACTOR } });
}
