import type { Caller, Role } from "./caller.ts";

/** An open WebSocket, as a part sees it. */
export interface PartSocket {
  send(message: string | Uint8Array): void;
  /** Bytes that were sent and have not left yet; a part that cares for slow readers looks here. */
  readonly buffered: number;
  close(code?: number, reason?: string): void;
}

export interface SocketRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined where the route asks for no credential of ours. */
  readonly caller: Caller | undefined;
  readonly remoteAddress: string;
}

export interface SocketHandlers {
  message(data: string | Uint8Array): void;
  /** Called exactly once, however it ended. */
  closed(code: number, reason: string): void;
}

/** A WebSocket address that a part wants. The server owns the port, the upgrade and the limits. */
export interface SocketRoute {
  readonly path: string;
  /** `own`: the part checks credentials itself, from the request (devices bring theirs). */
  readonly role: Role | "own";
  readonly protocols?: readonly string[];
  readonly maxMessageBytes?: number;
  /** Undefined refuses the upgrade with 401 (`own`) or 403. */
  open(request: SocketRequest, socket: PartSocket): SocketHandlers | undefined | Promise<SocketHandlers | undefined>;
}
