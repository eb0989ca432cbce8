import { ROLES, type Account, type Json } from "@steading/kernel";
import * as z from "zod";

/** Ledger spaces of the accounts. A user's row is what may be shown; hashes and logins live apart from it. */
export const SPACES = {
  /** By id. */
  users: "users",
  /** By name: the id. */
  names: "user-names",
  /** By id. */
  passwords: "user-passwords",
  /** By id: the logins that stand, and when the last one was. */
  logins: "user-logins",
  counters: "user-counters",
} as const;

export const UserRecord = z.strictObject({
  id: z.int().positive(),
  name: z.string(),
  displayName: z.string(),
  role: z.enum(ROLES),
  disabled: z.boolean(),
  createdAt: z.number(),
  changedAt: z.number(),
});
export type UserRecord = Readonly<z.infer<typeof UserRecord>>;

export const PasswordRecord = z.strictObject({ hash: z.string(), changedAt: z.number() });
export type PasswordRecord = Readonly<z.infer<typeof PasswordRecord>>;

export const LoginsRecord = z.strictObject({
  lastAt: z.exactOptional(z.number()),
  logins: z.array(z.strictObject({ id: z.string(), at: z.number(), expiresAt: z.number() })),
});
export type LoginsRecord = Readonly<z.infer<typeof LoginsRecord>>;

/** A row that does not read back whole is nobody: half an account must not be somebody with more rights. */
export function readRow<T>(schema: z.ZodType<T>, value: Json | undefined): T | undefined {
  return value === undefined ? undefined : schema.safeParse(value).data;
}

export function toAccount(user: UserRecord, hasPassword: boolean, lastLoginAt: number | undefined): Account {
  return { ...user, hasPassword, ...(lastLoginAt === undefined ? {} : { lastLoginAt }) };
}
