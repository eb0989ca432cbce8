import { shellError } from "../shell-errors.ts";
import { isLoopback } from "./loopback.ts";

export interface ListenerSafety {
  readonly host: string;
  /** The listener encrypts itself. */
  readonly tls: boolean;
  /** Something in front of it encrypts and keeps strangers out. */
  readonly trustedProxy: boolean;
  /** Somebody accepts that tokens can be read on the way. */
  readonly insecure: boolean;
  /** Names and addresses, besides loopback, that it is reached by. */
  readonly allowedHosts: readonly string[];
  /** It may be reached by the machine's own addresses. */
  readonly ownAddressesAllowed?: boolean;
  /** Requests without credentials are served. */
  readonly anonymous?: boolean;
}

/** Throws LISTEN_INSECURE, in a sentence that says what to set, when strangers could reach or overhear the listener. */
export function assertSafeListener(listener: ListenerSafety): void {
  const { host, tls, trustedProxy, insecure, allowedHosts, ownAddressesAllowed = false, anonymous = false } = listener;
  if (isLoopback(host)) return;
  const where = host === "" ? "Every address of this machine" : host;
  if (anonymous)
    throw shellError(
      "LISTEN_INSECURE",
      `${where} can be reached from the network, and requests without credentials are served.`,
      {
        hint: "Listen on 127.0.0.1, or ask for credentials.",
      },
    );
  if (!tls && !trustedProxy && !insecure)
    throw shellError("LISTEN_INSECURE", `${where} can be reached from the network, and nothing encrypts on the way.`, {
      hint: "Listen on 127.0.0.1, or set `tls`, or `trustedProxy: true` if a proxy encrypts in front, or `insecure: true` if you accept the risk.",
    });
  if (allowedHosts.length === 0 && !ownAddressesAllowed)
    throw shellError("LISTEN_INSECURE", `${where} is reached by names that are not known.`, {
      hint: "List them in `allowedHosts`, for example [steading.lan].",
    });
}
