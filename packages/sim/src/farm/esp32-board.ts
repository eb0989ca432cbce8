import { createContacts, type ContactOptions, type RelayBoard } from "./relay-board.ts";
import { fromImage, Refusal, REFUSAL } from "./unit.ts";

const CHANNELS = 6;
const ON = 0xff00;
const OFF = 0x0000;
const TOGGLE = 0x5500;
const ALL = 0x00ff;
/** Coils 0 and 7 are there for masters that read whole bytes; they switch nothing. */
const LAST_COIL = 7;

/** The six-channel ESP32 board with the project's firmware: channel n is coil n. */
export function createEsp32Board({ address, ...options }: ContactOptions & { readonly address: number }): RelayBoard {
  const contacts = createContacts({ channels: CHANNELS, ...options });
  const about = new Map([1, CHANNELS, address, 0].map((value, register) => [register, value]));

  function checked(coil: number): number {
    if (coil < 0 || coil > LAST_COIL) throw new Refusal(REFUSAL.address);
    return coil;
  }

  function put(coil: number, isOn: boolean): void {
    if (coil >= 1 && coil <= CHANNELS) contacts.set(coil, isOn);
  }

  return {
    address,
    channels: CHANNELS,
    model: "ESP32-S3-Relay-6CH",
    answers: true,
    weld: contacts.weld,
    isClosed: contacts.isClosed,
    restart: contacts.restart,
    coils: (start, count) => Array.from({ length: count }, (_, i) => contacts.isClosed(checked(start + i))),
    holding: (start, count) => fromImage(about, start, count),
    writeCoil(coil, value) {
      if (value !== ON && value !== OFF) throw new Refusal(REFUSAL.value);
      put(checked(coil), value === ON);
    },
    writeCoils(start, states) {
      const coils = states.map((_, i) => checked(start + i));
      coils.forEach((coil, i) => put(coil, states[i] === true));
    },
  };
}

/** The same board as it comes from the maker: it toggles on eight fixed bytes and never answers. */
export function createFactoryBoard(options: ContactOptions): RelayBoard {
  const contacts = createContacts({ channels: CHANNELS, ...options });
  return {
    address: 6,
    channels: CHANNELS,
    model: "ESP32-S3-Relay-6CH, maker's firmware",
    answers: false,
    weld: contacts.weld,
    isClosed: contacts.isClosed,
    restart: contacts.restart,
    writeCoil(coil, value) {
      if (coil === ALL && (value === ON || value === OFF))
        contacts.each((channel) => contacts.set(channel, value === ON));
      else if (coil >= 1 && coil <= CHANNELS && value === TOGGLE) contacts.toggle(coil);
    },
  };
}
