import { networkInterfaces } from "node:os";

/** The machine's addresses of this moment, as they stand in a URL. A lease may change them at any time. */
export function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ family, address }) => (family === "IPv6" ? `[${address.split("%", 1)[0] ?? address}]` : address));
}
