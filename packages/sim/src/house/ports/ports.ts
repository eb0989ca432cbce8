import type { Bus } from "../bus.ts";
import type { HouseClock } from "../clock.ts";
import type { ArmedFaults } from "../faults.ts";
import type { HouseSettings } from "../settings.ts";
import { createEnhSession, type EnhSession } from "./enh-session.ts";
import { createPlainSession } from "./plain-session.ts";
import { createPortCounters, type PortCounters } from "./port-counters.ts";
import { createPtyPort, type PtyAddress } from "./pty-port.ts";
import type { Session, SessionOutput } from "./session.ts";
import { createTcpPort, type PortAddress } from "./tcp-port.ts";
import { createUdpPort } from "./udp-port.ts";

/** Port numbers, 0 for a free one. */
export interface HousePortOptions {
  readonly enh?: number;
  readonly plain?: number;
  readonly udp?: number;
  /** A plain adapter on a serial line. */
  readonly pty?: boolean;
  /** An enhanced adapter on a serial line. */
  readonly enhPty?: boolean;
}

export interface HouseAddresses {
  readonly enh?: PortAddress;
  readonly plain?: PortAddress;
  readonly udp?: PortAddress;
  readonly pty?: PtyAddress;
  readonly enhPty?: PtyAddress;
}

export interface Ports {
  start(options: HousePortOptions): Promise<HouseAddresses>;
  stop(): Promise<void>;
  connect(kind: "enh" | "plain", output: SessionOutput): Session;
  resetAdapter(): void;
  adapterError(error: { about: "ebus" | "host"; code: number }): void;
  cut(): void;
  readonly connections: number;
  readonly counters: Readonly<PortCounters>;
}

/** All the ways into the house. */
export function createPorts({
  clock,
  bus,
  faults,
  settings,
  python,
  onChange,
}: {
  clock: HouseClock;
  bus: Bus;
  faults: ArmedFaults;
  settings: () => HouseSettings;
  python: string;
  onChange: () => void;
}): Ports {
  const adapters = new Set<EnhSession>();
  const counters = createPortCounters();
  let opened = 0;
  let restarts = 0;

  function openEnh(output: SessionOutput): Session {
    opened += 1;
    const name = `enh-${opened}`;
    const session = createEnhSession({
      name,
      bus,
      clock,
      faults,
      settings,
      restarts: () => restarts,
      counters,
      output,
    });
    adapters.add(session);
    return {
      ...session,
      close() {
        adapters.delete(session);
        session.close();
      },
    };
  }

  function openPlain(kind: string, output: SessionOutput): Session {
    opened += 1;
    return createPlainSession({ name: `${kind}-${opened}`, bus, clock, settings, counters, output });
  }

  const shared = { dribble: () => settings().dribble, refuse: () => settings().refuse, counters, onChange };
  const enh = createTcpPort({ ...shared, name: "house's enhanced", open: openEnh });
  const plain = createTcpPort({ ...shared, name: "house's plain", open: (output) => openPlain("plain", output) });
  // The bridge of the pseudo terminal has a port of its own, so that cutting and counting the plain one leaves it alone.
  const serial = createTcpPort({ ...shared, name: "house's pty bridge", open: (output) => openPlain("pty", output) });
  const udp = createUdpPort({ clock, faults, counters, open: (output) => openPlain("udp", output), onChange });
  const pty = createPtyPort({ python });
  const enhSerial = createTcpPort({ ...shared, name: "house's enhanced pty bridge", open: openEnh });
  const enhPty = createPtyPort({ python });

  async function open(options: HousePortOptions): Promise<HouseAddresses> {
    return {
      ...(options.enh !== undefined && { enh: await enh.start(options.enh) }),
      ...(options.plain !== undefined && { plain: await plain.start(options.plain) }),
      ...(options.udp !== undefined && { udp: await udp.start(options.udp) }),
      ...(options.pty === true && { pty: await pty.start((await serial.start(0)).port) }),
      ...(options.enhPty === true && { enhPty: await enhPty.start((await enhSerial.start(0)).port) }),
    };
  }

  async function stop(): Promise<void> {
    await Promise.all([pty.stop(), enhPty.stop()]);
    await Promise.all([enh.stop(), plain.stop(), serial.stop(), enhSerial.stop(), udp.stop()]);
  }

  return {
    async start(options) {
      try {
        return await open(options);
      } catch (error) {
        await stop(); // half a house is worse than none
        throw error;
      }
    },
    stop,
    connect: (kind, output) => (kind === "enh" ? openEnh(output) : openPlain("plain", output)),
    resetAdapter() {
      restarts += 1;
      for (const adapter of adapters) adapter.reset();
    },
    adapterError({ about, code }) {
      for (const adapter of adapters) adapter.error(about, code);
    },
    cut() {
      enh.cut();
      plain.cut();
      udp.cut();
    },
    counters,
    get connections() {
      return enh.connections + plain.connections + serial.connections + enhSerial.connections + udp.peers;
    },
  };
}
