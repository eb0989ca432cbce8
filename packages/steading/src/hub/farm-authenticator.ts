import { createHash, timingSafeEqual } from "node:crypto";
import type { Authenticated, Role } from "@steading/kernel";
import type { Authenticator } from "@steading/server";

type Doorman = Pick<Authenticator, "authenticate" | "onChange">;

/** No account can have this name, so that nobody's account decides what the key may do. */
const KEY_PRINCIPAL = "key:mcp-api-key";

/** `MCP_API_KEY` in front of everybody else: one bearer value that acts as a service user. */
export function withStaticKey(
  others: Doorman,
  { key, role }: { readonly key: string; readonly role: Role },
): Authenticator {
  const wanted = digest(key);
  const service: Authenticated = { principal: KEY_PRINCIPAL, role };
  const onChange = others.onChange?.bind(others);
  return {
    // Hashes are of one length: how long a comparison takes tells nothing about the key, not even its length.
    authenticate: (token) =>
      timingSafeEqual(digest(token), wanted) ? Promise.resolve(service) : others.authenticate(token),
    ...(onChange && { onChange }),
  };
}

/** Whoever the first knows is the first's; the second is asked about the rest alone. */
export function eitherOf(first: Doorman, second: Doorman): Authenticator {
  return {
    authenticate: async (token) => (await first.authenticate(token)) ?? (await second.authenticate(token)),
    onChange(listener) {
      const cancels = [first.onChange?.(listener), second.onChange?.(listener)];
      return () => {
        for (const cancel of cancels) cancel?.();
      };
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
