import { isTarget } from "../wire/addresses.ts";
import type { Heard } from "../wire/decoder.ts";

/** Who is on the bus, as far as listening tells. Fixed in size: one mark an address. */
export interface Census {
  /** Takes what was heard of others. */
  listen(event: Heard): void;
  /** A target answered one of our own telegrams. */
  answered(target: number): void;
  /** Somebody else used it as QQ, in a command whose checksum was right. */
  spoke(source: number): boolean;
  answers(target: number): boolean;
  /** Targets that answered, in the order they were first heard. */
  readonly targets: readonly number[];
}

/**
 * A lone address or a fragment proves nothing: two initiators that collide leave the AND of both on the wire, which may
 * be a third one's address. Targets count only with a telegram that was acknowledged to the end.
 */
export function createCensus(): Census {
  const sources = new Set<number>();
  const targets = new Set<number>();
  return {
    listen(event) {
      if (event.kind === "command" && event.intact) sources.add(event.command.source);
      if (event.kind === "telegram" && isTarget(event.telegram.target)) targets.add(event.telegram.target);
    },
    answered: (target) => void targets.add(target),
    spoke: (source) => sources.has(source),
    answers: (target) => targets.has(target),
    get targets() {
      return [...targets];
    },
  };
}
