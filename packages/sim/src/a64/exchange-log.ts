/** One request and what came back, as bytes, for a judge who trusts neither end. */
export interface A64Exchange {
  /** 1 for the first of this client; no gaps. */
  readonly order: number;
  /** 1 for the client's first connection: equal numbers went over one socket. */
  readonly connection: number;
  readonly request: Buffer;
  /** What arrived, whole or not. */
  readonly response: Buffer;
  /** Undefined when no whole answer came. */
  readonly status: number | undefined;
}

export interface A64ExchangeLog {
  add(exchange: Omit<A64Exchange, "order">): void;
  /** Numbers connections over all requests of a client. */
  nextConnection(): number;
  readonly exchanges: readonly A64Exchange[];
  readonly dropped: number;
}

export function createA64ExchangeLog({ limit }: { readonly limit: number }): A64ExchangeLog {
  let exchanges: A64Exchange[] = [];
  let dropped = 0;
  let connections = 0;
  return {
    add(exchange) {
      if (exchanges.length >= limit) {
        const surplus = Math.max(1, Math.floor(limit / 4));
        exchanges = exchanges.slice(surplus);
        dropped += surplus;
      }
      exchanges.push({ order: dropped + exchanges.length + 1, ...exchange });
    },
    nextConnection() {
      connections += 1;
      return connections;
    },
    get exchanges() {
      return exchanges;
    },
    get dropped() {
      return dropped;
    },
  };
}
