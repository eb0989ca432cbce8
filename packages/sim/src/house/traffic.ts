import type { HouseClock } from "./clock.ts";
import { bda, bti, d1c, d2b } from "./codecs.ts";
import { energyBroadcasts } from "./devices/energy.ts";
import { slotBytes, type TimerPrograms } from "./devices/timer-programs.ts";
import type { Telegram } from "./exchange.ts";
import type { Climate } from "./physics/climate.ts";
import { BROADCAST } from "./symbols.ts";

export type Outgoing = Omit<Telegram, "source">;

interface Cycle {
  readonly from: number;
  readonly everyMs: number;
  readonly firstMs: number;
  /** Made at the moment of sending, from what is true then. */
  readonly telegrams: () => readonly Outgoing[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const to = (target: number, command: number, data: readonly number[]): Outgoing => ({
  target,
  primary: command >> 8,
  secondary: command & 0xff,
  data,
});

export const BOILER_STATUS_QUESTION: Outgoing = to(0x08, 0xb511, [0x01]);
/** Nobody lives at 64. */
export const CIRCULATION_ORDER: Outgoing = to(0x64, 0xb512, [0x02, 0xfe]);
export const SIGN_OF_LIFE: Outgoing = to(BROADCAST, 0x07ff, []);

/** What the devices of the house tell each other all day. The first round is spread out, as after a power cut. */
export function createTraffic({
  clock,
  climate,
  programs,
  enabled,
  send,
}: {
  clock: HouseClock;
  climate: Climate;
  programs: TimerPrograms;
  enabled: () => boolean;
  send: (from: number, telegram: Outgoing) => void;
}): { start(): void; stop(): void } {
  const outdoor = (): number[] => d2b(climate.state.outdoorC);
  const setMode = (): number[] => {
    const heats = climate.state.zones.some((zone) => zone.heated);
    const flow = heats ? climate.state.flowTargetC : 0;
    return [0x00, 0x00, ...d1c(flow), 0xff, 0xff, 0xff, heats ? 0x00 : 0x01, 0x00, 0x00];
  };
  /** The cloud gateway writes a day's program back as it stands. */
  const rewriteMonday = (): Outgoing[] => {
    const day = programs.find(0, 0)?.days[0];
    const slots =
      day === undefined ? [] : Array.from({ length: day.count }, (_, slot) => day.slots[slot] ?? day.slots[0]);
    return slots.flatMap((slot, index) =>
      slot === undefined ? [] : [to(0x15, 0xb555, [0xa6, 0x00, 0x00, 0x00, index, slots.length, ...slotBytes(slot)])],
    );
  };

  const cycle = (from: number, everyMs: number, firstMs: number, telegrams: () => readonly Outgoing[]): Cycle => ({
    from,
    everyMs,
    firstMs,
    telegrams,
  });
  const cycles: readonly Cycle[] = [
    cycle(0x10, 10 * SECOND, 500, () => [BOILER_STATUS_QUESTION]),
    cycle(0x10, 10 * SECOND, 800, () => [to(0x08, 0xb510, setMode())]),
    cycle(0x10, MINUTE, 1_000, () => {
      const now = climate.today();
      return [to(BROADCAST, 0x0700, [...outdoor(), ...bti(now), ...bda(now)])];
    }),
    cycle(0x10, MINUTE, 1_300, () => {
      const now = climate.today();
      return [to(BROADCAST, 0xb516, [0x00, ...bti(now), ...bda(now)])];
    }),
    cycle(0x10, MINUTE, 1_600, () => [to(BROADCAST, 0xb516, [0x01, ...outdoor()])]),
    cycle(0x03, MINUTE, 3 * SECOND, () => [CIRCULATION_ORDER]),
    cycle(0x10, 30 * SECOND, 5 * SECOND, () => [to(0x08, 0xb511, [0x00])]),
    cycle(0x10, 30 * SECOND, 6 * SECOND, () => [to(0x08, 0xb511, [0x02])]),
    cycle(0x10, 30 * SECOND, 7 * SECOND, () => [to(0x26, 0xb523, [0x06])]),
    cycle(0x10, 30 * SECOND, 8 * SECOND, () => [to(0x26, 0xb523, [0x07])]),
    cycle(0x10, 5 * MINUTE, 12 * SECOND, () => [to(0x08, 0xb504, [0x00])]),
    cycle(0x10, 5 * MINUTE, 20 * SECOND, () =>
      energyBroadcasts(climate.meters, climate.today()).map((copy) => to(BROADCAST, 0xb516, copy)),
    ),
    cycle(0xf1, 10 * MINUTE, 40 * SECOND, () => [to(0x08, 0xb503, [0x00, 0x01])]),
    cycle(0xf1, 60 * MINUTE, 10 * MINUTE + 45 * SECOND, rewriteMonday),
  ];
  const timers = new Map<Cycle, () => void>();

  function wait(one: Cycle, at: number): void {
    const cancel = clock.timer(at - clock.now(), () => {
      if (enabled()) {
        climate.settle();
        for (const telegram of one.telegrams()) send(one.from, telegram);
      }
      wait(one, at + one.everyMs);
    });
    timers.set(one, cancel);
  }

  return {
    start() {
      if (timers.size > 0) return;
      const from = clock.now();
      for (const one of cycles) wait(one, from + one.firstMs);
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
