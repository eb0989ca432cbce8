import { ProtocolError } from "@modelcontextprotocol/server";

/** How a request ended, in the few words that spans and metrics use: never a message, which may hold anything. */
export type RequestResult = "complete" | "input_required" | "task" | "isError" | `${number}`;

/** An answer, or the code of an error that was sent already. */
export function resultOf(answer: unknown): RequestResult {
  if (typeof answer === "number") return `${answer}`;
  if (typeof answer !== "object" || answer === null) return "complete";
  if ("isError" in answer && answer.isError === true) return "isError";
  if (!("resultType" in answer)) return "complete";
  return answer.resultType === "input_required" || answer.resultType === "task" ? answer.resultType : "complete";
}

/** What is thrown becomes a JSON-RPC error; anything but a protocol error becomes -32603. */
export function resultOfFault(fault: unknown): RequestResult {
  return fault instanceof ProtocolError ? `${fault.code}` : "-32603";
}
