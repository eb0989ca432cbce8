import { defineTool, deviceText, kernelError, type Approval, type Approvals, type Toolset } from "@steading/kernel";
import * as z from "zod";
import { changeHub, ReceiptJson } from "./hub-change.ts";

const MOST_LISTED = 200;
const LONGEST_SUMMARY = 500;

const ApprovalJson = z.object({
  id: z.string(),
  tool: z.string(),
  kind: z.enum(["confirm", "approve"]).describe("`approve` is never decided by whoever asked."),
  asked_by: z.string(),
  summary: z.string(),
  needs: z.string().describe("The least role that may decide it."),
  requested_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  state: z.string(),
  decided_by: z.string().optional(),
});

/** What waits for a person's yes, and the way to give it. */
export function createApprovalTools({ approvals }: { readonly approvals: Approvals }): Toolset {
  const list = defineTool({
    name: "list_approvals",
    title: "What waits for a decision",
    summary: "Lists actions that wait until somebody approves or declines them, oldest first.",
    input: z.object({ limit: z.number().int().min(1).max(MOST_LISTED).default(50) }),
    output: z.object({ approvals: z.array(ApprovalJson), count: z.number(), cut: z.boolean() }),
    intent: "READ_ONLY",
    minimumRole: "operator",
    handler({ limit }) {
      const waiting = approvals.pending().toSorted((a, b) => a.requestedAt - b.requestedAt);
      const shown = waiting.slice(0, limit).map(approvalJson);
      return { approvals: shown, count: shown.length, cut: waiting.length > limit };
    },
  });

  const decide = defineTool({
    name: "decide_approval",
    title: "Approve or decline",
    summary:
      "Decides about an action that somebody else asked for. Whoever asked cannot decide here; nothing is sent by deciding.",
    input: z.object({
      id: z.string().min(1).max(64).describe("The approval's id, from list_approvals."),
      approve: z.boolean().describe("false declines it for good."),
    }),
    output: z.object({ approval: ApprovalJson, receipt: ReceiptJson }),
    intent: "MUTATE",
    minimumRole: "operator",
    async handler({ id, approve }, context) {
      const { caller } = context;
      const atTheMachine = caller.transport === "cli" || caller.transport === "console";
      if (!atTheMachine && approvals.get(id)?.principal === caller.principal) {
        throw kernelError("APPROVAL_OWN", "Whoever asked cannot decide over the same way.", {
          hint: "A person decides it with `steading approve`, or somebody else does.",
        });
      }
      const { value, receipt } = await changeHub(context, {
        arguments: { id, approve },
        target: `approval:${id}`,
        summary: approve ? "Approve what somebody asked for." : "Decline what somebody asked for.",
        change: async () => approvalJson(await approvals.decide(id, caller, approve)),
      });
      return { approval: value, receipt };
    },
  });

  return { name: "approvals", tools: [list, decide] };
}

function approvalJson(approval: Approval): z.infer<typeof ApprovalJson> {
  const { id, tool, confirm, principal, summary, minimumRole, requestedAt, expiresAt, state, decidedBy } = approval;
  return {
    id,
    tool,
    kind: confirm,
    asked_by: principal,
    summary: deviceText(summary, LONGEST_SUMMARY),
    needs: minimumRole ?? "operator",
    requested_at: new Date(requestedAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    state,
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  };
}
