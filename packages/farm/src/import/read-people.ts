import { ROLES, type ImportedAccount } from "@steading/kernel";
import * as z from "zod";
import { Id } from "./import-cells.ts";
import type { ImportSource } from "./import-source.ts";
import { readTable, type ReadTable } from "./read-table.ts";

export type Person = ImportedAccount & { readonly id: number };

/** Who had an account, with the hash that the reference kept. */
export function readPeople(source: ImportSource): ReadTable<Person> {
  return readTable({
    source,
    table: "users",
    schema: z.object({
      id: Id,
      email: z
        .string()
        .trim()
        .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "is not an e-mail address"),
      name: z.string().trim().max(200).optional(),
      role: z.enum(ROLES).default("viewer"),
      password_hash: z.string().startsWith("$2", "is not a bcrypt hash"),
    }),
    toRow: ({ id, email, name, role, password_hash: passwordHash }): Person => ({
      id,
      name: email,
      role,
      passwordHash,
      ...(name === undefined || name === "" ? {} : { displayName: name }),
    }),
  });
}
