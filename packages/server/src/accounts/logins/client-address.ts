import { isIP } from "node:net";

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * Where a request comes from. Behind a trusted proxy that is the last entry of `X-Forwarded-For`, which the proxy wrote
 * itself; all entries before it came from the client and may say anything.
 */
export function clientAddress({
  remoteAddress,
  forwardedFor,
  trustedProxy,
}: {
  readonly remoteAddress: string | undefined;
  readonly forwardedFor: string | readonly string[] | undefined;
  readonly trustedProxy: boolean;
}): string {
  const peer = plain(remoteAddress ?? "") ?? "unknown";
  if (!trustedProxy || forwardedFor === undefined) return peer;
  const all = typeof forwardedFor === "string" ? forwardedFor : forwardedFor.join(",");
  return plain(all.slice(all.lastIndexOf(",") + 1).trim()) ?? peer;
}

function plain(address: string): string | undefined {
  const bare = MAPPED.exec(address)?.[1] ?? address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  return isIP(bare) === 0 ? undefined : bare.toLowerCase();
}

/** One home has one IPv4 address, or 2^64 IPv6 addresses: those count as one. */
export function addressGroup(address: string): string {
  const bare = plain(address);
  if (bare === undefined || isIP(bare) !== 6) return bare ?? address.slice(0, 64);
  const [head = "", tail = ""] = bare.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = bare.includes("::")
    ? Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0")
    : [];
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}
