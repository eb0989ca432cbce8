import type { SessionEvents } from "../adapters/bus-session.ts";

/** Writes down what a session tells, one word each. */
export function recordSession(): { readonly events: SessionEvents; take(): string[] } {
  let told: string[] = [];
  const hex = (byte: number | undefined): string => (byte === undefined ? "none" : byte.toString(16).padStart(2, "0"));
  return {
    events: {
      ready: () => void told.push("ready"),
      symbol: (symbol) => void told.push(hex(symbol)),
      started: () => void told.push("started"),
      lost: (winner) => void told.push(`lost ${hex(winner)}`),
      reset: () => void told.push("reset"),
      trouble: (kind) => void told.push(kind),
      misconfigured: (what) => void told.push(what),
    },
    take() {
      const taken = told;
      told = [];
      return taken;
    },
  };
}
