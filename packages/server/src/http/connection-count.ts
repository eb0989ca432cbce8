import type { Server, Socket } from "node:net";
import type { Metric } from "../metrics/metrics.ts";
import { addressGroup } from "../accounts/logins/client-address.ts";
import type { EdgeCounters } from "./edge-counters.ts";
import { isLoopbackAddress } from "./peer.ts";

/** Keeps the connections of all HTTP listeners within bounds, so that one stranger cannot take every place. */
export interface ConnectionCount {
  /** `behindProxy`: every connection has the proxy's address, which says nothing about who holds how many. */
  watch(server: Server, behindProxy: boolean): void;
  readonly open: number;
  metrics(): readonly Metric[];
}

export function createConnectionCount({
  edge,
  connections,
  connectionsPerAddress,
}: {
  readonly edge: EdgeCounters;
  /** Of one listener: Node turns them away before anything is made for them. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
}): ConnectionCount {
  /** No more entries than there are connections. */
  const byAddress = new Map<string, number>();
  const known = new WeakSet<Socket>();
  let open = 0;

  const metrics: readonly Metric[] = [
    { name: "steading_http_connections", help: "Open HTTP connections.", type: "gauge", read: () => open },
  ];

  /** Undefined: this address has as many as it may. */
  function take(address: string): (() => void) | undefined {
    const held = byAddress.get(address) ?? 0;
    if (held >= connectionsPerAddress) return undefined;
    byAddress.set(address, held + 1);
    return () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    };
  }

  return {
    watch(server, behindProxy) {
      server.maxConnections = connections;
      server.on("drop", () => edge.count("connections"));
      server.on("connection", (socket) => {
        // A connection that a socket route gave back comes a second time.
        if (known.has(socket)) return;
        known.add(socket);
        const address = socket.remoteAddress ?? "";
        const giveBack = behindProxy || isLoopbackAddress(address) ? () => {} : take(addressGroup(address));
        if (giveBack === undefined) {
          edge.count("connections_of_address");
          return void socket.destroy();
        }
        open++;
        socket.once("close", () => {
          open--;
          giveBack();
        });
      });
    },
    get open() {
      return open;
    },
    metrics: () => metrics,
  };
}
