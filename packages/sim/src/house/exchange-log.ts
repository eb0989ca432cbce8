import type { Exchange } from "./exchange.ts";

export interface ExchangeLog {
  add(exchange: Omit<Exchange, "order">): void;
  /** Oldest first; at most `limit`, the newest stay. */
  readonly entries: readonly Exchange[];
  /** How many of the oldest were let go. */
  readonly dropped: number;
}

/** When it is full the oldest quarter goes, so that keeping it costs little an exchange. */
export function createExchangeLog({ limit }: { limit: number }): ExchangeLog {
  let entries: Exchange[] = [];
  let dropped = 0;
  return {
    add(exchange) {
      if (entries.length >= limit) {
        const surplus = Math.max(1, Math.floor(limit / 4));
        entries = entries.slice(surplus);
        dropped += surplus;
      }
      entries.push({ order: dropped + entries.length + 1, ...exchange });
    },
    get entries() {
      return entries;
    },
    get dropped() {
      return dropped;
    },
  };
}
