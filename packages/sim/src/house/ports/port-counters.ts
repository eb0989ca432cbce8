/** What the ports turned away or lost, since the house was made. */
export interface PortCounters {
  /** Connections and UDP peers over the limit, or refused by knob. */
  refused: number;
  /** Hosts cut off because they read nothing. */
  cutOff: number;
  /** Messages to a slow host that found no room on the way. */
  lost: number;
  /** Bytes of enhanced hosts that made no command. */
  garbled: number;
}

export function createPortCounters(): PortCounters {
  return { refused: 0, cutOff: 0, lost: 0, garbled: 0 };
}
