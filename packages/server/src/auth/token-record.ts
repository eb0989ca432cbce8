import { createHash } from "node:crypto";
import { ROLES, type Json, type TokenScope } from "@steading/kernel";
import * as z from "zod";

export const TOKEN_SPACE = "access-tokens";
export const TOKEN_USE_SPACE = "access-token-use";

const Stored = z.strictObject({
  id: z.string(),
  principal: z.string(),
  role: z.enum(ROLES),
  label: z.string(),
  prefix: z.exactOptional(z.string()),
  createdAt: z.number(),
  expiresAt: z.exactOptional(z.number()),
  scope: z.exactOptional(
    z.strictObject({
      role: z.exactOptional(z.enum(ROLES)),
      toolsets: z.exactOptional(z.array(z.string())),
      pathPrefixes: z.exactOptional(z.array(z.string())),
    }),
  ),
});
/** What is on record about a token. */
export type AccessToken = Readonly<z.infer<typeof Stored>>;

/** A record that does not read back whole is no credential: half a scope would be a wider one. */
export function readToken(value: Json): AccessToken | undefined {
  return Stored.safeParse(value).data;
}

export function tokenKey(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const ID_LENGTH = 16;
/** Part of a hash tells nothing about the token and needs no second index. */
export function tokenId(key: string): string {
  return key.slice(0, ID_LENGTH);
}
export function isTokenId(id: string): boolean {
  return id.length === ID_LENGTH && /^[0-9a-f]+$/.test(id);
}

export function storedScope({ role, toolsets, pathPrefixes }: TokenScope): NonNullable<AccessToken["scope"]> {
  return {
    ...(role && { role }),
    ...(toolsets && { toolsets: [...toolsets] }),
    ...(pathPrefixes && { pathPrefixes: [...pathPrefixes] }),
  };
}
