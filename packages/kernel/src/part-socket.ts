import type { Caller, Role } from "./caller.ts";

/** A WebSocket, as a part sees it. */
export interface PartSocket {
  /** What is sent before the upgrade is done waits for it. A socket with more than `maxBufferedBytes` unread is cut. */
  send(message: string | Uint8Array): void;
  /** Bytes that were sent and have not left yet; a part that cares for slow readers looks here. */
  readonly buffered: number;
  close(code?: number, reason?: string): void;
}

export interface SocketRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The subprotocols that the client offers, in its order. */
  readonly protocols: readonly string[];
  /** Undefined where the route asks for no credential of ours. */
  readonly caller: Caller | undefined;
  /**
   * Whose a token of the hub's own is, for an `own` socket that takes it in another way: in its first message, say.
   * From then on the socket ends together with that token.
   */
  identify(token: string): Promise<Caller | undefined>;
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
  /**
   * A role: the credential comes as `Authorization: Bearer <token>`, or from browsers, which cannot set that, as the
   * subprotocols `bearer, <token>`. `own`: the part checks credentials itself, from the request (devices bring theirs).
   */
  readonly role: Role | "own";
  /** The first that the client offers too is chosen. */
  readonly protocols?: readonly string[];
  /** What a listener's `serve` calls it. Default `<part>-api`; another one is served only where it is named. */
  readonly set?: string;
  /** Default 1 MiB. */
  readonly maxMessageBytes?: number;
  /** Default 1 MiB. */
  readonly maxBufferedBytes?: number;
  /** Called before the upgrade. Undefined refuses it with 401 (`own`) or 403. */
  open(request: SocketRequest, socket: PartSocket): SocketHandlers | undefined | Promise<SocketHandlers | undefined>;
}
