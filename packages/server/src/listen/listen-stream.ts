import type { ServerResponse } from "node:http";
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server";
import type { JsonObject } from "@steading/kernel";
import type { ServerInfo } from "../eras/build-instance.ts";

/** One open `subscriptions/listen` answer. */
export interface ListenStream {
  /** `opening` is a notification up to the stream's id in its `_meta`, made once for all streams. False: the reader stalled and was cut. */
  write(opening: string): boolean;
  comment(): void;
  /** The result, then the end. */
  finish(): void;
  destroy(): void;
}

/** A notification as far as it is the same for everybody; each stream adds its own id. */
export function openingOf(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  meta: JsonObject = {},
): string {
  return `event: message\ndata: {"jsonrpc":"2.0","method":"${method}","params":{${membersOf(params)}"_meta":{${membersOf(meta)}`;
}

function membersOf(object: Readonly<Record<string, unknown>>): string {
  const members = JSON.stringify(object).slice(1, -1);
  return members === "" ? "" : `${members},`;
}

export function openListenStream({
  res,
  id,
  info,
  unreadBytes,
}: {
  readonly res: ServerResponse;
  readonly id: string | number;
  readonly info: ServerInfo;
  readonly unreadBytes: number;
}): ListenStream {
  const closing = `"${SUBSCRIPTION_ID_META_KEY}":${JSON.stringify(id)}}}}\n\n`;
  res.socket?.setNoDelay(true);
  res.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  });
  return {
    write(opening) {
      if (res.writableLength > unreadBytes) {
        res.destroy();
        return false;
      }
      res.write(opening + closing);
      return true;
    },
    comment: () => void res.write(": keepalive\n\n"),
    finish() {
      const _meta = { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: info };
      res.end(
        `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } })}\n\n`,
      );
    },
    destroy: () => void res.destroy(),
  };
}
