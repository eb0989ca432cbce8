/** One open connection: bytes out, bytes in, and the moment it ends. */
export interface Wire {
  write(bytes: Uint8Array): void;
  /** Called for each piece that arrives. Set once, right after the wire was made. */
  onPiece(listener: (piece: Uint8Array) => void): void;
  /** Called once, when the connection has ended for whatever reason, `close` included. */
  onEnd(listener: (cause?: Error) => void): void;
  /** Ends it at once; what was not sent is dropped. */
  close(): void;
}

/** Makes a connection. Rejects when that fails or the signal aborts, and leaves nothing open then. */
export type Dial = (signal: AbortSignal) => Promise<Wire>;
