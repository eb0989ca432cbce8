/** What came of the bytes that arrived. */
export type Arrived =
  /** The answer to the open request, as `unit | PDU | CRC`. */
  | { readonly kind: "reply"; readonly frame: Buffer }
  /** A whole frame that answers nothing we asked: late, or meant for somebody else. */
  | { readonly kind: "foreign" }
  /** The answer came damaged. */
  | { readonly kind: "garbled" }
  /** The stream cannot be understood any further; only a fresh connection helps. */
  | { readonly kind: "lost" };

/**
 * Turns frames into the bytes of one connection and back. At most one request is open at a time; what does not answer it
 * is dropped where it arrives, so that it can never answer the next one.
 */
export interface Framing {
  /** Opens a request and gives the bytes to send. The frame is `unit | PDU | CRC`. */
  open(frame: Uint8Array): Uint8Array;
  /** Closes the open request: what still comes for it is late. */
  close(): void;
  /** Takes any piece of the stream: half a frame, two and a half. */
  push(piece: Uint8Array): readonly Arrived[];
}

/** What the answer to a request must look like. */
export interface Expected {
  readonly unit: number;
  readonly fc: number;
  /** Byte count of a read's answer; undefined where the function has none. */
  readonly byteCount: number | undefined;
}

export function expectedFor(frame: Uint8Array): Expected {
  const [unit = 0, fc = 0, , , high = 0, low = 0] = frame;
  const quantity = high * 256 + low;
  if (fc === 1 || fc === 2) return { unit, fc, byteCount: Math.ceil(quantity / 8) };
  if (fc === 3 || fc === 4) return { unit, fc, byteCount: quantity * 2 };
  return { unit, fc, byteCount: undefined };
}

/** Unit and function are those of the request, the function perhaps marked as an exception. */
export function answers({ unit, fc }: Expected, gotUnit: number | undefined, gotFc: number | undefined): boolean {
  return gotUnit === unit && (gotFc === fc || gotFc === (fc | 0x80));
}
