import { companionTarget, isInitiator } from "../wire/addresses.ts";
import type { ExchangeResult } from "./exchange-result.ts";

export const DEFAULT_SOURCE = 0x71;
const FALLBACKS = [0xff, 0x7f, 0x3f, 0x1f, 0xf7, 0x77, 0x37, 0x17, 0x07, 0x11, 0x31, 0x00] as const;
const MOST_PROBES = 15;

export interface SourceSelection {
  /** Undefined: degraded, nothing active may be sent. */
  readonly source: number | undefined;
  readonly probes: number;
  readonly rejected: readonly { readonly source: number; readonly why: "heard" | "companion" | "unproved" }[];
}

/** The configured address first, then the others in their fixed order, each once. */
function sourceCandidates(configured: number = DEFAULT_SOURCE): readonly number[] {
  return [...new Set([configured, ...FALLBACKS])].filter(isInitiator);
}

/**
 * Finds an address that nobody else uses: not heard as QQ, its companion silent, and proved by one identification of a
 * target that is known to be there.
 */
export async function selectSource({
  configured,
  heard,
  knownTargets,
  identify,
}: {
  readonly configured?: number;
  /** Asked each time: somebody may speak up between two probes. */
  readonly heard: (source: number) => boolean;
  /** Best evidence first. */
  readonly knownTargets: readonly number[];
  readonly identify: (source: number, target: number) => Promise<ExchangeResult>;
}): Promise<SourceSelection> {
  const rejected: { source: number; why: "heard" | "companion" | "unproved" }[] = [];
  let probes = 0;

  async function probe(source: number, target: number): Promise<ExchangeResult | undefined> {
    if (probes >= MOST_PROBES) return undefined;
    probes += 1;
    return identify(source, target);
  }

  for (const source of sourceCandidates(configured)) {
    if (heard(source)) {
      rejected.push({ source, why: "heard" });
      continue;
    }
    const companion = companionTarget(source);
    const taken = await probe(source, companion);
    if (!taken) break;
    // Any sign of life will do, a refusal too. A probe that never got the bus says nothing in the address's favour.
    const silent = taken.outcome === "timeout" && taken.reason === "no_answer" && !taken.acknowledged;
    if (!silent || heard(source)) {
      rejected.push({ source, why: heard(source) ? "heard" : "companion" });
      continue;
    }
    for (const target of knownTargets) {
      if (target === companion) continue;
      const proof = await probe(source, target);
      if (!proof) break;
      if (heard(source)) break;
      if (proof.outcome === "success") return { source, probes, rejected };
    }
    rejected.push({ source, why: "unproved" });
  }
  return { source: undefined, probes, rejected };
}
