import type { Clock } from "@steading/kernel";
import { openWire, type OpenConnection } from "../modbus/connection.ts";
import { gatewayKey, parseGatewayAddress, type GatewayAddress } from "../modbus/gateway-address.ts";
import { createMbapFraming } from "../modbus/mbap-framing.ts";
import { createRtuFraming } from "../modbus/rtu-framing.ts";
import { parseSerialAddress } from "../modbus/serial-address.ts";
import { openSerial } from "../modbus/serial-connection.ts";
import type { Dial } from "../modbus/wire.ts";
import type { Equipment } from "./rows.ts";

/** How the bus that equipment is on is reached. Equipment with the same key shares it. */
export interface WayToBus {
  readonly key: string;
  readonly open: OpenConnection;
  readonly anonymousFrames: boolean;
}

/** Undefined for equipment that has no bus. */
export function wayTo(
  { protocol, address, transport }: Pick<Equipment, "protocol" | "address" | "transport">,
  { dial, clock }: { readonly dial: (address: GatewayAddress) => Dial; readonly clock: Clock },
): WayToBus | undefined {
  if (protocol !== "modbus" || address === null) return undefined;
  if (transport === "rtu") {
    const serial = parseSerialAddress(address);
    return (
      serial && { key: `rtu://${serial.path}`, open: openSerial({ address: serial, clock }), anonymousFrames: true }
    );
  }
  const place = parseGatewayAddress(address);
  if (!place) return undefined;
  const isRtu = transport === "rtu_over_tcp";
  return {
    key: `${transport}://${gatewayKey(place)}`,
    open: openWire({ dial: dial(place), framing: isRtu ? createRtuFraming : createMbapFraming, clock }),
    anonymousFrames: isRtu,
  };
}
