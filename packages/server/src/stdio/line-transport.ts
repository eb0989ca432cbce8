import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { HotLine } from "../hot/hot-lines.ts";

/** Rewrites or lets pass what a client sends, in order. */
export type Screen = (message: JSONRPCMessage) => Promise<JSONRPCMessage> | undefined;

/**
 * The SDK's line framing, with two things added. A client that does not read its answers is not read from either, so
 * that what waits for it stays bounded; and one that lets its notifications pile up is cut off.
 */
export function createLineTransport({
  input,
  output,
  lineBytes,
  unreadBytes,
  screen,
  hot,
}: {
  readonly input: Readable;
  readonly output: Writable;
  readonly lineBytes: number;
  readonly unreadBytes: number;
  readonly screen: Screen;
  /** Takes messages that need none of what follows; see `HotLine`. */
  readonly hot?: (send: Transport["send"]) => HotLine;
}): Transport {
  const inner = new StdioServerTransport(input, output, { maxBufferSize: lineBytes });
  let unreadNotifications = 0;
  /** Screening takes time, and messages must not overtake each other. */
  let queue: Promise<void> | undefined;

  function onDrain(): void {
    unreadNotifications = 0;
    input.resume();
  }
  output.on("drain", onDrain);
  // The SDK waits with a listener for each unsent message; their number is bounded by what follows.
  output.setMaxListeners(0);

  const outer: Transport = {
    start: () => inner.start(),
    async send(message) {
      if (isJSONRPCNotification(message) && output.writableNeedDrain) {
        unreadNotifications += JSON.stringify(message).length;
        if (unreadNotifications > unreadBytes) return outer.close();
      }
      const sent = inner.send(message);
      if (output.writableLength > unreadBytes) input.pause();
      await sent;
    },
    async close() {
      output.off("drain", onDrain);
      await inner.close();
    },
  };
  const hotLine = hot?.((message) => outer.send(message));
  inner.onmessage = (message) => {
    if (queue === undefined && hotLine?.take(message) === true) return;
    const screened = isJSONRPCRequest(message) ? screen(message) : undefined;
    if (screened === undefined && queue === undefined) return outer.onmessage?.(message);
    const turn: Promise<void> = Promise.all([screened ?? message, queue])
      .then(([passed]) => outer.onmessage?.(passed))
      .catch((fault: unknown) =>
        outer.onerror?.(
          fault instanceof Error ? fault : new Error("A message could not be screened", { cause: fault }),
        ),
      )
      .finally(() => {
        if (queue === turn) queue = undefined;
      });
    queue = turn;
  };
  inner.onclose = () => {
    hotLine?.close();
    outer.onclose?.();
  };
  inner.onerror = (error) => outer.onerror?.(error);
  return outer;
}
