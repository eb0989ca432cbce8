import type { IncomingMessage } from "node:http";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;

/** As `URL` spells the host of an address without a name. */
const BARE_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/** Accepted header values that were parsed already; a handful in practice. */
const REMEMBERED = 64;

export interface HostAndOriginCheck {
  /** A sentence when the request must be refused. */
  refusal(req: IncomingMessage): string | undefined;
}

/**
 * Keeps web pages of other sites away from a hub on somebody's own machine (DNS rebinding). Ports are ignored: a page
 * cannot choose the name it was loaded from, but anybody may forward a port.
 */
export function createHostAndOriginCheck({
  hosts,
  origins,
  addresses = () => [],
}: {
  readonly hosts: readonly string[];
  /** Host names, or `scheme://*` for browser extensions. */
  readonly origins: readonly string[];
  /** Addresses of the machine that count as hosts. Asked for a host that is a bare address, and nothing else. */
  addresses?(): readonly string[];
}): HostAndOriginCheck {
  const allowedHosts = new Set([...LOOPBACK_NAMES, ...hosts].map((name) => name.toLowerCase()));
  const allowedOrigins = new Set([...LOOPBACK_NAMES, ...hosts, ...origins].map((name) => name.toLowerCase()));
  const goodHosts = new Set<string>();
  const goodOrigins = new Set<string>();

  function hostAllowed(header: string): boolean {
    const name = nameOf(`http://${header}`);
    return name !== undefined && (allowedHosts.has(name) || isOwn(name));
  }
  function isOwn(name: string): boolean {
    return BARE_ADDRESS.test(name) && addresses().includes(name);
  }
  function originAllowed(header: string): boolean {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(header)?.[1]?.toLowerCase();
    if (scheme === undefined) return false;
    if (allowedOrigins.has(`${scheme}://*`)) return true;
    if (scheme !== "http" && scheme !== "https") return false;
    const name = nameOf(header);
    return name !== undefined && (allowedOrigins.has(name) || isOwn(name));
  }

  return {
    refusal(req) {
      const { host, origin } = req.headers;
      if (host === undefined || !remembered(goodHosts, host, hostAllowed)) return "Host is not allowed here";
      if (origin !== undefined && !remembered(goodOrigins, origin, originAllowed)) return "Origin is not allowed here";
      return undefined;
    },
  };
}

function remembered(good: Set<string>, header: string, allowed: (header: string) => boolean): boolean {
  if (good.has(header)) return true;
  if (!allowed(header)) return false;
  if (good.size < REMEMBERED) good.add(header);
  return true;
}

/** The host name of an address that is nothing but scheme, host and port. */
function nameOf(address: string): string | undefined {
  try {
    const url = new URL(address);
    const bare =
      url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
    return bare && url.hostname !== "" ? url.hostname : undefined;
  } catch {
    return undefined;
  }
}
