import { gatewayKey } from "../modbus/gateway-address.ts";
import type { EquipmentBook } from "./equipment-book.ts";
import type { Equipment } from "./rows.ts";

/** The equipment behind a gateway, all of it or that of one unit. A broadcast, unit 0, reaches everybody. */
export function registeredAt(
  book: Pick<EquipmentBook, "list">,
  { host, port, unit = 0 }: { readonly host: string; readonly port: number; readonly unit?: number },
): readonly Equipment[] {
  const wanted = gatewayKey(host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
  return book.list().filter(({ protocol, transport, address, slave_id }) => {
    if (protocol !== "modbus" || transport === "rtu" || address === null) return false;
    return gatewayKey(address) === wanted && (unit === 0 || (slave_id ?? 1) === unit);
  });
}
