/** One request that reached a gateway. */
export interface FarmExchange {
  /** 1 for the first since the farm was made, over all gateways; no gaps. */
  readonly order: number;
  readonly gateway: string;
  /** 1 for the gateway's first connection. */
  readonly connection: number;
  readonly unit: number;
  readonly code: number;
  /** The request without its framing, in hexadecimal. */
  readonly request: string;
  /** The answer without its framing, as it went out; undefined when none did. */
  readonly answer: string | undefined;
  /** False when the unit was dead or is not there. */
  readonly reached: boolean;
}

export interface FarmWireLog {
  add(exchange: Omit<FarmExchange, "order">): void;
  /** Oldest first; at most `limit`, the newest stay. */
  readonly exchanges: readonly FarmExchange[];
  readonly dropped: number;
}

export function createFarmWireLog({ limit }: { readonly limit: number }): FarmWireLog {
  let exchanges: FarmExchange[] = [];
  let dropped = 0;
  return {
    add(exchange) {
      if (exchanges.length >= limit) {
        const surplus = Math.max(1, Math.floor(limit / 4));
        exchanges = exchanges.slice(surplus);
        dropped += surplus;
      }
      exchanges.push({ order: dropped + exchanges.length + 1, ...exchange });
    },
    get exchanges() {
      return exchanges;
    },
    get dropped() {
      return dropped;
    },
  };
}
