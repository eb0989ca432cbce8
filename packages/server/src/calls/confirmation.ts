import { inputRequired, type InputRequiredResult } from "@modelcontextprotocol/server";
import { deviceText, type CallResult } from "@steading/kernel";

/** The key of the one question that the shell asks. */
export const QUESTION = "confirm";

const LONGEST_SUMMARY = 500;

/** What a client said to the question that an earlier round of the same call asked. */
export interface Answered {
  readonly approval: string;
  /** `unclear`: nothing, or something that does not fit the form. */
  readonly says: "yes" | "no" | "unclear";
}

/** How the client of one call can be asked for a yes. */
export interface Confirmation {
  readonly answered: Answered | undefined;
  /** Signs the state that brings an answer back to its approval. */
  mint(state: { readonly approval: string }): Promise<string>;
}

/** What a refused call would need: the approval's id and what would happen. */
export interface Wanted {
  readonly approval: string;
  readonly summary: string;
}

/**
 * The yes that the asking client itself may give. One that somebody else has to give is not asked for here: it must
 * never pass through the model that wants it.
 */
export function wantedOf(result: CallResult): Wanted | undefined {
  if (result.kind !== "error" || result.error.code !== "CONFIRMATION_REQUIRED") return undefined;
  const { approval, confirm, summary } = result.error.details ?? {};
  if (confirm !== "confirm" || typeof approval !== "string") return undefined;
  return { approval, summary: deviceText(typeof summary === "string" ? summary : "", LONGEST_SUMMARY) };
}

export async function question(
  { approval, summary }: Wanted,
  { mint }: Pick<Confirmation, "mint">,
): Promise<InputRequiredResult> {
  const requestedSchema = {
    type: "object" as const,
    properties: { confirm: { type: "boolean" as const, title: "Do it", description: summary } },
    required: ["confirm"],
  };
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit({ message: `${summary} Go ahead?`, requestedSchema }) },
    // The id and nothing else: who asked, for what and until when is kept with the approval, out of the client's reach.
    requestState: await mint({ approval }),
  });
}
