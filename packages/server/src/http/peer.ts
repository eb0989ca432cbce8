import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "../accounts/logins/client-address.ts";

interface Peer {
  readonly proxied: boolean;
  readonly remote: boolean;
}
/** A connection does not change its other end, so it is looked at once. */
const peers = new WeakMap<Socket, Peer>();

/** Said by a listener behind a trusted proxy: at the other end is the proxy, and who asks stands in a header. */
export function markProxied(socket: Socket): void {
  peers.set(socket, { proxied: true, remote: true });
}

/**
 * Does somebody ask who is not on this machine? Behind a proxy everybody counts as such: the proxy itself may well be on
 * this machine.
 */
export function isRemote(socket: Socket): boolean {
  return peerOf(socket).remote;
}

/** Where a request comes from, for counting failures. */
export function addressOf({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string {
  return clientAddress({
    remoteAddress: socket.remoteAddress,
    forwardedFor: headers["x-forwarded-for"],
    trustedProxy: peerOf(socket).proxied,
  });
}

function peerOf(socket: Socket): Peer {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = { proxied: false, remote: !isLoopbackAddress(socket.remoteAddress ?? "") };
  peers.set(socket, peer);
  return peer;
}

export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");
}
