import { createHash, timingSafeEqual } from "node:crypto";
import type { Authenticated, Role } from "@steading/kernel";
import type { Authenticator } from "@steading/server";

/** No account can have this name, so that nobody's account decides what the key may do. */
const KEY_PRINCIPAL = "key:mcp-api-key";

/** `MCP_API_KEY` in front of everybody else: one bearer value that acts as a service user. */
export function withStaticKey(
  accounts: Pick<Authenticator, "authenticate" | "onChange">,
  { key, role }: { readonly key: string; readonly role: Role },
): Authenticator {
  const wanted = digest(key);
  const service: Authenticated = { principal: KEY_PRINCIPAL, role };
  const onChange = accounts.onChange?.bind(accounts);
  return {
    // Hashes are of one length: how long a comparison takes tells nothing about the key, not even its length.
    authenticate: (token) =>
      timingSafeEqual(digest(token), wanted) ? Promise.resolve(service) : accounts.authenticate(token),
    ...(onChange && { onChange }),
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
