import type { HouseClock } from "../house/clock.ts";
import { fromImage, Refusal, REFUSAL, type Relays, type Unit } from "./unit.ts";

const ON = 0xff00;
const OFF = 0x0000;
const TOGGLE = 0x5500;
const ALL = 0x00ff;
const TOGGLE_ALL = 0x01ff;
const PULSE_ON = 0x0200;
const PULSE_OFF = 0x0400;
const TICK_MS = 100;
const LONGEST_PULSE = 0x7fff;

export interface RelayBoard extends Unit, Relays {
  /** As after a power cut: every relay open, pulses forgotten. */
  restart(): void;
}

export interface ContactOptions {
  readonly clock: HouseClock;
  /** Called before a contact may move: what it drove until now has to be settled first. */
  readonly beforeMove: () => void;
}

/** Contacts and their timers, shared by all boards; channels count from 1. */
export function createContacts({ channels, clock, beforeMove }: ContactOptions & { readonly channels: number }) {
  const closed = Array.from({ length: channels + 1 }, () => false);
  const pulses = new Map<number, () => void>();
  let stuck: ReadonlySet<number> = new Set();

  function set(channel: number, isOn: boolean): void {
    pulses.get(channel)?.();
    pulses.delete(channel);
    beforeMove();
    if (!stuck.has(channel)) closed[channel] = isOn;
  }

  return {
    set,
    weld(given: readonly number[]): void {
      stuck = new Set(given);
    },
    isClosed: (channel: number): boolean => closed[channel] ?? false,
    toggle: (channel: number): void => set(channel, closed[channel] !== true),
    /** Switches by itself and back again, whether or not anybody still watches. */
    pulse(channel: number, isOn: boolean, ticks: number): void {
      set(channel, isOn);
      pulses.set(
        channel,
        clock.timer(ticks * TICK_MS, () => set(channel, !isOn)),
      );
    },
    each(act: (channel: number) => void): void {
      for (let channel = 1; channel <= channels; channel++) act(channel);
    },
    restart(): void {
      for (let channel = 1; channel <= channels; channel++) set(channel, false);
    },
  };
}

/** A Waveshare board: channel n is coil n-1, with its pseudo coils for all channels and for pulses. */
export function createRelayBoard({
  address,
  channels,
  ...options
}: ContactOptions & {
  readonly address: number;
  readonly channels: 4 | 8 | 16 | 32;
}): RelayBoard {
  const contacts = createContacts({ channels, ...options });
  const settings = new Map([
    [0x2000, 0x0005],
    [0x4000, address],
    [0x8000, 0x00c8],
  ]);

  function channelOf(coil: number): number {
    if (coil < 0 || coil >= channels) throw new Refusal(REFUSAL.address);
    return coil + 1;
  }

  function switchOne(channel: number, value: number): void {
    if (value === TOGGLE) contacts.toggle(channel);
    else if (value === ON || value === OFF) contacts.set(channel, value === ON);
    else throw new Refusal(REFUSAL.value);
  }

  function pulse(channel: number, isOn: boolean, ticks: number): void {
    if (ticks < 1 || ticks > LONGEST_PULSE) throw new Refusal(REFUSAL.value);
    contacts.pulse(channel, isOn, ticks);
  }

  return {
    address,
    channels,
    model: `Modbus RTU Relay ${channels}CH`,
    answers: true,
    weld: contacts.weld,
    isClosed: contacts.isClosed,
    restart: contacts.restart,
    coils: (start, count) => Array.from({ length: count }, (_, i) => contacts.isClosed(channelOf(start + i))),
    holding: (start, count) => fromImage(settings, start, count),
    writeCoil(coil, value) {
      if (coil === ALL && value !== TOGGLE) contacts.each((channel) => switchOne(channel, value));
      else if (coil === TOGGLE_ALL) contacts.each(contacts.toggle);
      else if (coil >= PULSE_OFF) pulse(channelOf(coil - PULSE_OFF), false, value);
      else if (coil >= PULSE_ON) pulse(channelOf(coil - PULSE_ON), true, value);
      else switchOne(channelOf(coil), value);
    },
    writeCoils(start, states) {
      const wanted = states.map((isOn, i) => [channelOf(start + i), isOn] as const);
      for (const [channel, isOn] of wanted) contacts.set(channel, isOn);
    },
    writeRegisters(start, values) {
      // The baud rate and the address are kept and not acted on: a virtual board stays where it is.
      fromImage(settings, start, values.length);
      values.forEach((value, i) => settings.set(start + i, value));
    },
  };
}
