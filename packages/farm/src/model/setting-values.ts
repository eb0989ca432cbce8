import * as z from "zod";

/** A name of the IANA list. An offset would be wrong for half of the year, so it is none. */
export const TimeZone = z.string().max(64).refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin");

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

const address = z.union([z.ipv4(), z.ipv6(), z.literal("")]);

/** How the site's router should see this machine. It is kept for people: the hub changes nothing about the machine. */
export const Network = z.object({
  dhcp: z.boolean().default(true),
  ipAddress: address.default(""),
  gateway: address.default(""),
  dns: z.union([address, z.array(address).max(4)]).default(""),
});
export type Network = z.output<typeof Network>;

export const DEFAULT_NETWORK: Network = { dhcp: true, ipAddress: "", gateway: "", dns: "" };
