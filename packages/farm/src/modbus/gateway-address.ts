/** Where a gateway listens. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

const MODBUS_PORT = 502;
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const V6 = /^[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._-]{1,16})?$/;

/** Reads `host:port`, `[v6]:port`, `[v6]` and a bare host, whose port is 502. Undefined for anything else. */
export function parseGatewayAddress(text: string): GatewayAddress | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text.trim());
  const [, host = "", port] = bracketed ?? /^([^:]*)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const number = port === undefined ? MODBUS_PORT : Number(port);
  const fits = bracketed ? V6.test(host) && host.includes(":") : HOST.test(host);
  return fits && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}
