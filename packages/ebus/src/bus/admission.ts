import { minutes, type Cancel, type Clock, type Duration, type Log } from "@steading/kernel";
import type { Heard } from "../wire/decoder.ts";
import type { SourceState } from "./bus-events.ts";
import type { Census } from "./census.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import type { Gate } from "./gate.ts";
import { selectSource, type SourceSelection } from "./source-selection.ts";

const SELECT_AGAIN = minutes(5);
/** Where a regulator, a boiler and a module usually are, for a bus on which nothing was heard yet. */
const USUAL_TARGETS = [0x15, 0x08, 0x26] as const;

/** Whether we may speak, and with which address. Opens and shuts the gate. */
export interface Admission {
  readonly source: number | undefined;
  readonly state: SourceState;
  readonly selection: SourceSelection | undefined;
  /** The bus can be heard: listens for a warm-up, then looks for an address unless it has one. */
  listen(): void;
  hear(event: Heard, own: boolean): void;
  /** The adapter cannot be used as it is set up. Nothing is looked for until the bus can be heard anew. */
  withdraw(): void;
  /** The daemon at the other end has an address of its own. */
  leaveToDaemon(): void;
  stop(): void;
}

export interface AdmissionDeps {
  readonly gate: Gate;
  readonly census: Census;
  readonly clock: Clock;
  readonly log: Log;
  readonly configured: number;
  readonly warmUp: Duration;
  /** Is there a bus to ask at this moment? */
  readonly usable: () => boolean;
  readonly identify: (source: number, target: number) => Promise<ExchangeResult>;
  readonly changed: () => void;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const { gate, census, clock, log, configured, warmUp, usable, identify, changed } = deps;
  let source: number | undefined;
  let state: SourceState = gate.readOnly ? "read_only" : "listening";
  let selection: SourceSelection | undefined;
  let timer: Cancel | undefined;
  /** Counts up whenever a search under way has become pointless. */
  let round = 0;

  function turn(to: SourceState, address?: number): void {
    source = address;
    state = to;
    gate.turn(to === "probing" ? "probing" : address === undefined ? "shut" : "open");
    changed();
  }

  function lookAfter(wait: Duration): void {
    timer?.();
    if (!gate.readOnly) timer = clock.timer(wait, () => void look());
  }

  function withdraw(): void {
    timer?.();
    round += 1;
    turn(gate.readOnly ? "read_only" : "listening");
  }

  async function look(): Promise<void> {
    if (!usable()) return lookAfter(warmUp);
    const mine = ++round;
    turn("probing");
    try {
      selection = await selectSource({
        configured,
        heard: (candidate) => census.spoke(candidate),
        knownTargets: [...new Set([...census.targets, ...USUAL_TARGETS])],
        identify,
      });
    } catch (cause) {
      // The queue was full, or the bus went away: nothing is known about any address.
      if (mine !== round) return;
      log.warn("Choosing an eBUS source address failed.", {
        reason: cause instanceof Error ? cause.message : "unknown",
      });
      selection = undefined;
    }
    if (mine !== round) return;
    if (selection?.source !== undefined) return turn("admitted", selection.source);
    turn("degraded");
    lookAfter(SELECT_AGAIN);
  }

  return {
    get source() {
      return source;
    },
    get state() {
      return state;
    },
    get selection() {
      return selection;
    },
    listen() {
      if (state === "listening") lookAfter(warmUp);
    },
    hear(event, own) {
      if (own) return;
      census.listen(event);
      // Somebody else speaks with our address: whoever came second must go.
      if (event.kind !== "command" || !event.intact || event.command.source !== source) return;
      log.warn("Another participant uses our eBUS source address.", { source });
      turn("listening");
      lookAfter(warmUp);
    },
    withdraw,
    leaveToDaemon() {
      if (!gate.readOnly) turn("daemon", configured);
    },
    stop: withdraw,
  };
}
