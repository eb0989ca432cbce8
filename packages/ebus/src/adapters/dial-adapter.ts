import type { Clock } from "@steading/kernel";
import type { AdapterAddress } from "./adapter-address.ts";
import type { Dial } from "./link.ts";
import { createSerialDial } from "./serial-link.ts";
import { createTcpDial } from "./tcp-link.ts";
import { createUdpDial } from "./udp-link.ts";

/** How to reach an adapter, from its address. */
export function createAdapterDial({
  address,
  clock,
}: {
  readonly address: AdapterAddress;
  readonly clock: Clock;
}): Dial {
  switch (address.over) {
    case "tcp":
      return createTcpDial(address);
    case "udp":
      return createUdpDial({ host: address.host, port: address.port, clock });
    case "serial":
      return createSerialDial(address);
  }
}
