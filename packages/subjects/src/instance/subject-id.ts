import { subjectError } from "../subject-error.ts";
import { nodeOf } from "./held.ts";
import type { Node } from "./node.ts";
import type { Subject } from "./subject.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_CHARS = 22;
const MAX_ID_CHARS = 512;

/** 128 random bits as 22 base62 characters. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  while (text.length < ID_CHARS) {
    text = DIGITS.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}

/** Made when first asked for. */
export function idOf(node: Node): string {
  if (node.id === null) {
    node.id = randomId();
    node.core?.idAssigned(node, node.id);
  }
  return node.id;
}

/** Gives a subject its id, which it keeps for life. */
export function setId(subject: Subject, id: string): void {
  const node = nodeOf(subject);
  if (id.trim().length === 0 || id.length > MAX_ID_CHARS)
    throw subjectError("VALIDATION_FAILED", `An id is text of 1 to ${MAX_ID_CHARS} characters that is not blank.`);
  if (node.id === id) return;
  if (node.id !== null)
    throw subjectError("CONFLICT", `This subject already has the id ${node.id}.`, { retryable: false });
  node.core?.idAssigned(node, id);
  node.id = id;
}
