import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { HouseClock } from "../clock.ts";
import type { ArmedFaults } from "../faults.ts";
import type { PortCounters } from "./port-counters.ts";
import type { Session, SessionOutput } from "./session.ts";
import { HOST, type PortAddress } from "./tcp-port.ts";

const MOST_PEERS = 8;
/** Whoever sends nothing for so long, not even an empty datagram, gets nothing any more. */
const PEER_LEASE_MS = 5_000;

export interface UdpPort {
  start(port: number): Promise<PortAddress>;
  stop(): Promise<void>;
  /** Forgets all peers. */
  cut(): void;
  readonly peers: number;
}

interface Peer {
  readonly session: Session;
  seenAt: number;
}

/** Raw wire bytes in datagrams. Any datagram, an empty one too, makes its sender a peer. */
export function createUdpPort({
  clock,
  faults,
  counters,
  open,
  onChange,
}: {
  clock: HouseClock;
  faults: ArmedFaults;
  counters: PortCounters;
  open: (output: SessionOutput) => Session;
  onChange: () => void;
}): UdpPort {
  const peers = new Map<string, Peer>();
  let socket: Socket | undefined;
  let lastPort = 0;

  function forget(key: string): void {
    peers.get(key)?.session.close();
    if (peers.delete(key)) onChange();
  }

  function meet(key: string, { address, port }: RemoteInfo): Peer | undefined {
    if (peers.size >= MOST_PEERS) {
      counters.refused += 1;
      return undefined;
    }
    const session = open((bytes) => {
      if (clock.now() - (peers.get(key)?.seenAt ?? 0) > PEER_LEASE_MS) return forget(key);
      if (faults.lostDatagram.strike() !== undefined) return;
      socket?.send(Uint8Array.from(bytes), port, address, () => {}); // a datagram that cannot leave is a lost one
    });
    const peer = { session, seenAt: clock.now() };
    peers.set(key, peer);
    onChange();
    return peer;
  }

  function cut(): void {
    for (const key of [...peers.keys()]) forget(key);
  }

  return {
    async start(asked) {
      if (socket !== undefined) return { host: HOST, port: lastPort };
      const port = asked === 0 ? lastPort : asked;
      const made = createSocket("udp4");
      made.on("message", (bytes, from) => {
        const key = `${from.address}:${from.port}`;
        const peer = peers.get(key) ?? meet(key, from);
        if (peer === undefined) return;
        peer.seenAt = clock.now();
        peer.session.receive(bytes);
      });
      await new Promise<void>((resolve, reject) => {
        made.on("error", (cause) =>
          reject(new Error(`The house's UDP port cannot bind ${HOST}:${port}; choose another or free it.`, { cause })),
        );
        made.bind(port, HOST, resolve);
      });
      socket = made;
      lastPort = made.address().port;
      return { host: HOST, port: lastPort };
    },
    async stop() {
      const ending = socket;
      socket = undefined;
      cut();
      if (ending !== undefined) await new Promise<void>((resolve) => void ending.close(() => resolve()));
    },
    cut,
    get peers() {
      return peers.size;
    },
  };
}
