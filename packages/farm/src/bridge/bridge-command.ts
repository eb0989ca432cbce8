import { hash } from "node:crypto";
import {
  isJsonObject,
  millis,
  receiptJson,
  SteadingError,
  type AskedEffect,
  type Json,
  type JsonObject,
  type ToolContext,
} from "@steading/kernel";
import { bridgeError, bridgeStatus } from "./bridge-errors.ts";
import type { AskCore, CoreCall, CoreClient } from "./core-client.ts";

/** One command to the core, as the door sees it. */
export interface BridgeCommand {
  readonly effect: Pick<AskedEffect, "arguments" | "target" | "things" | "toward" | "summary" | "before">;
  readonly call: Omit<CoreCall, "beforeSend" | "headers">;
  /** Called when it goes out. */
  sending?(): void;
  /** Makes the answer of the tool from that of the core; may ask once more, and throws when it is no good answer. */
  read(body: JsonObject, ask: () => Promise<JsonObject>): JsonObject | Promise<JsonObject>;
}

/** Longer than a request may take, so that its own failure is what is told. */
const SEND_DEADLINE = millis(8_400);

/**
 * The core is the one that looks at the device; its word is the end of what the hub can know without a second call. So
 * a command that the core confirms ends as acknowledged by it, and one that it cannot confirm as unknown.
 */
export async function carryOutCommand(
  { effect, call, read, sending }: BridgeCommand,
  { context, client }: { readonly context: ToolContext; readonly client: CoreClient },
): Promise<JsonObject> {
  const { caller, perform, idempotencyKey } = context;
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": coreKey(caller.principal, idempotencyKey) };
  let thrown: SteadingError | undefined;
  const outcome = await perform({
    ...effect,
    minimumRole: "operator",
    observer: "farm.bridge",
    observeWith: effect.arguments,
    observeDeadline: millis(0),
    sendDeadline: SEND_DEADLINE,
    drive: {
      async send(wire, signal) {
        const asking: AskCore = client.as(caller, signal);
        const beforeSend = (): void => {
          wire.firstByte();
          sending?.();
        };
        const ask = async (): Promise<JsonObject> => objectOf(await asking({ ...call, headers, beforeSend }));
        try {
          return await read(await ask(), ask);
        } catch (error) {
          if (!(error instanceof SteadingError)) throw error;
          thrown = saysNo(error) ? refused(error) : error;
          throw thrown;
        }
      },
    },
  });
  const { receipt, acknowledgement, error } = outcome;
  if (receipt.stage === "acknowledged" && isJsonObject(acknowledgement)) {
    return { ...acknowledgement, receipt: receiptJson(receipt) };
  }
  const details = { ...thrown?.details, receipt: receiptJson(receipt) };
  if (thrown) throw new SteadingError(thrown.code, thrown.message, { ...extras(thrown), details });
  throw new SteadingError(error?.code ?? "INTERRUPTED", error?.message ?? "It was cut off; look what became of it.", {
    retryable: error?.retryable ?? false,
    details,
  });
}

/** Our own core remembers keys, too. Those of several people who share the bridge's login must not meet there. */
function coreKey(principal: string, key: string): string {
  return hash("sha256", `${principal}\n${key}`, "base64url");
}

/** Whoever answers below 500 has understood the command and not carried it out. */
function saysNo({ code }: SteadingError): boolean {
  return (bridgeStatus(code) ?? 500) < 500;
}

function refused(error: SteadingError): SteadingError {
  return new SteadingError(error.code, error.message, {
    ...extras(error),
    details: { ...error.details, refused: true },
  });
}

function extras({ retryable, hint, cause }: SteadingError) {
  return { retryable, cause, ...(hint === undefined ? {} : { hint }) };
}

function objectOf(body: Json): JsonObject {
  if (isJsonObject(body)) return body;
  throw bridgeError("CORE_GARBLED", "The core answered a command with something that is no object.");
}
