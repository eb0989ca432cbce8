import type { Cancel } from "@steading/kernel";

/** A bounded number of places, of which one principal may hold only some. */
export interface Places {
  /** Undefined: none free, in all or for this principal. Giving a place back twice does nothing. */
  take(principal: string): Cancel | undefined;
  /** Whether all places are taken, or this principal's share of them. */
  full(principal: string): "total" | "principal" | undefined;
  readonly taken: number;
  /** How often nobody could be let in. */
  readonly refused: number;
}

export function createPlaces({
  total,
  perPrincipal,
}: {
  readonly total: number;
  readonly perPrincipal: number;
}): Places {
  const held = new Map<string, number>();
  let taken = 0;
  let refused = 0;
  function full(principal: string): "total" | "principal" | undefined {
    if ((held.get(principal) ?? 0) >= perPrincipal) return "principal";
    return taken >= total ? "total" : undefined;
  }
  return {
    full,
    take(principal) {
      if (full(principal) !== undefined) {
        refused++;
        return undefined;
      }
      taken++;
      held.set(principal, (held.get(principal) ?? 0) + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        taken--;
        const left = (held.get(principal) ?? 1) - 1;
        if (left > 0) held.set(principal, left);
        else held.delete(principal);
      };
    },
    get taken() {
      return taken;
    },
    get refused() {
      return refused;
    },
  };
}
