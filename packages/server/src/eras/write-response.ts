import type { ServerResponse } from "node:http";
import { sendText } from "../http/respond.ts";

/** What became of an answer. `cut`: the reader left too much unread. */
export type Written = "whole" | "closed" | "cut";

/**
 * Puts a fetch `Response` on a node response. Streams are read as fast as they are filled, so that what a stalled
 * reader leaves behind piles up in one place, where it is counted and cut.
 */
export async function writeResponse(response: Response, res: ServerResponse, unreadBytes: number): Promise<Written> {
  // RFC 9110, 7.6.1: Connection is between neighbours. Node knows whether the client keeps its own open, a stream's
  // maker does not, and "keep-alive" from there would hold a connection whose client waits for its end.
  const {
    "content-type": type = "application/octet-stream",
    connection: _,
    ...headers
  } = Object.fromEntries(response.headers);
  if (response.body === null) {
    res.writeHead(response.status, headers).end();
    return "whole";
  }
  if (!type.startsWith("text/event-stream")) {
    sendText(res, response.status, type, await response.text(), headers);
    return "whole";
  }
  res.writeHead(response.status, { ...headers, "Content-Type": type });
  // The client must see that the stream is open, long before its first event.
  res.flushHeaders();
  return copyStream(response.body, res, unreadBytes);
}

async function copyStream(
  body: ReadableStream<Uint8Array>,
  res: ServerResponse,
  unreadBytes: number,
): Promise<Written> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  res.once("close", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (res.destroyed) return "closed";
      if (done) {
        res.end();
        return "whole";
      }
      // Asked before the event is added: a long answer is no stalled reader, what lies there from before is.
      if (res.writableLength > unreadBytes) {
        res.destroy();
        return "cut";
      }
      res.write(value);
    }
  } finally {
    res.off("close", stop);
  }
}
