import { millis, seconds, type Duration } from "@steading/kernel";

/**
 * What silent units take from the others on their bus. Each may take a little at once, so that a short outage costs it
 * nothing, and after that a small share of the time. Some gateways keep a bus waiting for a dead unit much longer than we
 * wait ourselves; who is asked next finds that out, and it is put on the dead unit's account.
 */
export interface SilenceAccount {
  answered(unit: number, took: number): void;
  /** `told`: the gateway itself said that the unit is silent, so it does not wait for it any longer. */
  silent(unit: number, took: number, told: boolean): void;
  /** How long the unit should be left alone, counted from now. */
  quietFor(unit: number): Duration;
  /** The answer that just came, or is about to, is late because of another unit. */
  readonly isBehindAnother: boolean;
}

interface Account {
  /** Milliseconds of bus time that it may still take. */
  credit: number;
  at: number;
  /** What the last question to it cost. */
  last: number;
}

/** 2.5 percent: neighbours keep 97 percent of their rate and more. */
const SHARE = 0.025;
/** The longest that a unit is ever left alone. */
const LONGEST = seconds(60);
/** How slowly the usual time of an answer follows. */
const INERTIA = 8;

export function createSilenceAccount({
  monotonic,
  allowance,
}: {
  readonly monotonic: () => number;
  /** Bus time that a unit may take at once. */
  readonly allowance: Duration;
}): SilenceAccount {
  /** At most 256 units exist. */
  const accounts = new Map<number, Account>();
  const usual = new Map<number, number>();
  /** The unit that its gateway may still be waiting for. */
  let awaited: number | undefined;

  function creditOf({ credit, at }: Account): number {
    return Math.min(allowance, credit + SHARE * (monotonic() - at));
  }

  function charge(unit: number, cost: number): Account {
    const account = accounts.get(unit) ?? { credit: allowance, at: monotonic(), last: 0 };
    account.credit = creditOf(account) - cost;
    account.at = monotonic();
    accounts.set(unit, account);
    return account;
  }

  return {
    answered(unit, took) {
      accounts.delete(unit);
      const before = usual.get(unit);
      if (awaited === undefined || awaited === unit) {
        usual.set(unit, before === undefined ? took : before + (took - before) / INERTIA);
      } else if (before !== undefined && took > before) {
        const extra = took - before;
        charge(awaited, extra).last += extra;
      }
      awaited = undefined;
    },
    silent(unit, took, told) {
      charge(unit, took).last = took;
      awaited = told ? undefined : unit;
    },
    quietFor(unit) {
      const account = accounts.get(unit);
      if (!account) return millis(0);
      const short = Math.min(account.last, allowance) - creditOf(account);
      const most = LONGEST - (monotonic() - account.at);
      return millis(Math.max(0, Math.min(Math.ceil(short / SHARE), most)));
    },
    get isBehindAnother() {
      return awaited !== undefined;
    },
  };
}
