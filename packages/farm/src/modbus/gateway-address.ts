/** Where a gateway listens. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

const MODBUS_PORT = 502;
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const V6 = /^([0-9A-Fa-f:.]{2,45})(%[A-Za-z0-9._-]{1,16})?$/;
const DOTTED = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const MAPPED_V4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Reads `host:port`, `[v6]:port`, `[v6]` and a bare host, whose port is 502. Undefined for anything else. The host is in
 * the one form that every spelling of it has: `127.1` and `0x7f000001` are `127.0.0.1`.
 */
export function parseGatewayAddress(text: string): GatewayAddress | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text.trim());
  const [, given = "", port] = bracketed ?? /^([^:]*)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const number = port === undefined ? MODBUS_PORT : Number(port);
  const host = bracketed ? sixForm(given) : HOST.test(given) ? urlHost(given) : undefined;
  return host !== undefined && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}

/**
 * What a gateway is known by, so that one gateway has one bus, whoever spelt it how. This machine has many names; what
 * other names stand for only a resolver knows, and two of them are two gateways here.
 */
export function gatewayKey(address: string | GatewayAddress): string | undefined {
  const place = typeof address === "string" ? parseGatewayAddress(address) : address;
  if (!place) return undefined;
  const { host, port } = place;
  const isHere = /(^|\.)localhost$/.test(host) || ["0.0.0.0", "::", "::1"].includes(host);
  return `${isHere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

function sixForm(given: string): string | undefined {
  const [, address = "", zone = ""] = V6.exec(given) ?? [];
  const found = address.includes(":") ? urlHost(`[${address}]`)?.slice(1, -1) : undefined;
  if (found === undefined) return undefined;
  const [, high, low] = MAPPED_V4.exec(found) ?? [];
  if (high === undefined || low === undefined) return found + zone;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

/** The URL standard has one form for each host: names in small letters, numbers of any base and length as four, IPv6 at its shortest. */
function urlHost(host: string): string | undefined {
  // Almost all are in it already, and are asked for with every poll.
  if (DOTTED.test(host)) return host;
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
