import type { WebSocket } from "ws";
import type { Cancel, Clock, Duration, Log, PartSocket, SocketHandlers } from "@steading/kernel";

export interface OpenSocketDeps {
  /** Unread bytes beyond which it is cut. */
  readonly most: number;
  readonly pingEvery: Duration;
  readonly closeTimeout: Duration;
  readonly clock: Pick<Clock, "timer">;
  readonly log: Log;
  /** Called when it was cut because its reader is too slow. */
  onSlow(): void;
  /** Called exactly once, however it ended. */
  onEnd(): void;
}

/** One WebSocket of a part, from before its upgrade to its end. */
export interface OpenSocket {
  readonly socket: PartSocket;
  /** The upgrade is done. */
  attach(ws: WebSocket, handlers: SocketHandlers): void;
  /** The upgrade will not happen. `handlers`: the part had agreed to it already. */
  abandon(handlers?: SocketHandlers): void;
  close(code: number, reason: string): void;
  /** Runs it when the socket is over; at once when it is already. */
  onEnd(tidy: Cancel): void;
}

export function createOpenSocket({
  most,
  pingEvery,
  closeTimeout,
  clock,
  log,
  onSlow,
  onEnd,
}: OpenSocketDeps): OpenSocket {
  let ws: WebSocket | undefined;
  let handlers: SocketHandlers | undefined;
  /** Sent before the upgrade was done. */
  let early: (string | Uint8Array)[] = [];
  let earlyBytes = 0;
  let closing: { readonly code: number; readonly reason: string } | undefined;
  let over = false;
  let cancelTimer: Cancel = () => {};
  let heard = true;
  const atEnd: Cancel[] = [];

  function end(code: number, reason: string): void {
    if (over) return;
    over = true;
    cancelTimer();
    early = [];
    for (const tidy of atEnd.splice(0)) tidy();
    onEnd();
    try {
      handlers?.closed(code, reason);
    } catch (error) {
      log.error("A part failed while a socket closed.", error);
    }
  }

  function cutSlow(): void {
    onSlow();
    closing = { code: 1013, reason: "The reader is too slow" };
    early = [];
    ws?.terminate();
  }

  function send(message: string | Uint8Array): void {
    if (over || closing !== undefined) return;
    const size = typeof message === "string" ? Buffer.byteLength(message) : message.byteLength;
    if (buffered() + size > most) return cutSlow();
    if (ws !== undefined) return ws.send(message);
    early.push(message);
    earlyBytes += size;
  }

  const buffered = (): number => (ws === undefined ? earlyBytes : ws.bufferedAmount);

  function close(code = 1000, reason = ""): void {
    if (over || closing !== undefined) return;
    closing = { code, reason };
    if (ws === undefined) return;
    const open = ws;
    open.close(code, reason);
    cancelTimer();
    cancelTimer = clock.timer(closeTimeout, () => open.terminate());
  }

  /** Anything heard counts as a sign of life. */
  function watch(open: WebSocket): void {
    cancelTimer = clock.timer(pingEvery, () => {
      if (!heard) return open.terminate();
      heard = false;
      open.ping();
      watch(open);
    });
  }

  function receive(open: WebSocket, data: Buffer, isBinary: boolean): void {
    heard = true;
    try {
      handlers?.message(isBinary ? new Uint8Array(data) : data.toString("utf8"));
    } catch (error) {
      log.error("A part failed on a message of a socket; it is closed.", error);
      close(1011, "Internal error");
      if (closing === undefined) open.terminate();
    }
  }

  return {
    socket: {
      send,
      close,
      get buffered() {
        return buffered();
      },
    },
    attach(open, own) {
      handlers = own;
      open.on("close", (code, reason) => end(closing?.code ?? code, closing?.reason ?? reason.toString("utf8")));
      // Followed by `close`; it is a peer that does not keep to the protocol, or a connection that broke.
      open.on("error", (error) => log.debug("A socket failed.", { error: error.name }));
      open.on("pong", () => void (heard = true));
      open.on("message", (data, isBinary) => receive(open, data as Buffer, isBinary)); // not fragments, nor array buffers
      ws = open;
      if (closing !== undefined) {
        const { code, reason } = closing;
        closing = undefined;
        for (const message of early) open.send(message);
        return close(code, reason);
      }
      for (const message of early) open.send(message);
      early = [];
      watch(open);
    },
    abandon(own) {
      handlers = own;
      end(1006, "");
    },
    close,
    onEnd(tidy) {
      if (over) tidy();
      else atEnd.push(tidy);
    },
  };
}
