/** One open connection to an adapter: bytes out, bytes in, and the moment it ends. */
export interface Link {
  write(bytes: Uint8Array): void;
  /** Called for each piece that arrives. Set once, right after the link was made. */
  onPiece(listener: (piece: Uint8Array) => void): void;
  /** Called once, when the connection has ended for whatever reason, `close` included. */
  onEnd(listener: (cause?: Error) => void): void;
  /** Ends it at once; what was not sent is dropped. */
  close(): void;
}

/** Makes a connection. Rejects when that fails or the signal aborts, and leaves nothing open then. */
export type Dial = (signal: AbortSignal) => Promise<Link>;

/** The end of a link may come before anybody listens for it; it is kept until then. */
export function createLinkEnd(): {
  readonly tell: (cause?: Error) => void;
  readonly onEnd: Link["onEnd"];
} {
  let ended: { readonly cause?: Error } | undefined;
  let listener: ((cause?: Error) => void) | undefined;
  return {
    tell(cause) {
      if (ended) return;
      ended = cause ? { cause } : {};
      listener?.(cause);
    },
    onEnd(given) {
      listener = given;
      if (ended) given(ended.cause);
    },
  };
}
