import { ebusError } from "../ebus-errors.ts";

/** What is said on the link: pairs of the enhanced protocol, raw wire symbols, or ebusd's lines of text. */
export type AdapterProtocol = "enhanced" | "plain" | "text";
export type TransportClass = "enh" | "ens" | "tcp-plain" | "udp-plain" | "serial-plain" | "ebusd-tcp";

export type AdapterAddress = {
  readonly transport: TransportClass;
  readonly protocol: AdapterProtocol;
  /** As it was written. */
  readonly text: string;
} & (
  | { readonly over: "tcp" | "udp"; readonly host: string; readonly port: number }
  | { readonly over: "serial"; readonly path: string; readonly baud: number }
);

const ENHANCED_PORT = 9999;
const TEXT_PORT = 8888;
const BUS_BAUD = 2400;
const ENHANCED_BAUD = { enh: 9600, ens: 115_200 } as const;
const EXAMPLES =
  "enh://192.168.1.5:9999, ens:///dev/ttyUSB0, tcp-plain://192.168.1.5:5000, udp-plain://192.168.1.5:5000, " +
  "serial:///dev/ttyUSB0 or ebusd-tcp://localhost:8888";

/** Reads an adapter's address. Three slashes and a path name a serial line, a host and port name a network adapter. */
export function readAdapterAddress(text: string): AdapterAddress {
  const [, scheme, rest] = /^([a-z-]+):\/\/(.+)$/.exec(text.trim()) ?? [];
  if (scheme === undefined || rest === undefined) throw wrong(text, "it has no scheme");
  switch (scheme) {
    case "enh":
    case "ens":
      return rest.startsWith("/")
        ? { transport: scheme, protocol: "enhanced", text, over: "serial", path: rest, baud: ENHANCED_BAUD[scheme] }
        : { transport: scheme, protocol: "enhanced", text, over: "tcp", ...hostAndPort(text, rest, ENHANCED_PORT) };
    case "serial":
      if (!rest.startsWith("/")) throw wrong(text, "a serial line needs a path");
      return { transport: "serial-plain", protocol: "plain", text, over: "serial", path: rest, baud: BUS_BAUD };
    case "tcp-plain":
      return { transport: scheme, protocol: "plain", text, over: "tcp", ...hostAndPort(text, rest) };
    case "udp-plain":
      return { transport: scheme, protocol: "plain", text, over: "udp", ...hostAndPort(text, rest) };
    case "ebusd-tcp":
      return { transport: scheme, protocol: "text", text, over: "tcp", ...hostAndPort(text, rest, TEXT_PORT) };
    default:
      throw wrong(text, `the scheme ${scheme} is unknown`);
  }
}

function hostAndPort(text: string, rest: string, usual?: number): { readonly host: string; readonly port: number } {
  const [, bracketed, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:/[\]\s]+))(?::(\d{1,5}))?\/?$/.exec(rest) ?? [];
  const host = bracketed ?? name;
  if (host === undefined) throw wrong(text, "it has no host");
  const port = digits === undefined ? usual : Number(digits);
  if (port === undefined) throw wrong(text, "it has no port");
  if (port < 1 || port > 65_535) throw wrong(text, "the port must be from 1 to 65535");
  return { host, port };
}

function wrong(text: string, why: string): Error {
  return ebusError("INVALID_ARGUMENT", `"${text}" is no adapter address: ${why}. Write one like ${EXAMPLES}.`);
}
