import { recordOutput } from "./run-record.ts";

/** What a tool answered, in one form for every client and era. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** `structuredContent`; undefined when there is none. */
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  /** The JSON of the first text block: the answer again, or the error's code and details. */
  readonly json: Readonly<Record<string, unknown>>;
  /** How many blocks `content` holds. */
  readonly blocks: number;
}

/** One connected MCP client. */
export interface ToolCaller {
  /** The protocol revision both sides agreed on. */
  readonly revision: string | undefined;
  listTools(): Promise<readonly { readonly name: string }[]>;
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Parses a tools/call result as any SDK returns it. */
export function toToolAnswer(result: unknown): ToolAnswer {
  if (!isRecord(result) || !Array.isArray(result["content"]))
    throw new Error(`Not a tool result: ${JSON.stringify(result)}`);
  const content: readonly unknown[] = result["content"];
  const first = content[0];
  if (!isRecord(first) || typeof first["text"] !== "string")
    throw new Error(`The tool result has no text block: ${JSON.stringify(result)}`);
  const json: unknown = JSON.parse(first["text"]);
  if (!isRecord(json)) throw new Error(`The text block is no JSON object: ${first["text"]}`);
  if (result["isError"] === true) recordOutput("errors", first["text"]);
  const structured = result["structuredContent"];
  return {
    isError: result["isError"] === true,
    structured: isRecord(structured) ? structured : undefined,
    json,
    blocks: content.length,
  };
}

/** The receipt of an answer or of an error. */
export function receiptOf(answer: ToolAnswer): { readonly action: string; readonly stage: string } {
  const receipt = answer.json["receipt"];
  if (!isRecord(receipt) || typeof receipt["action"] !== "string" || typeof receipt["stage"] !== "string") {
    throw new Error(`No receipt in ${JSON.stringify(answer.json)}`);
  }
  return { action: receipt["action"], stage: receipt["stage"] };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
