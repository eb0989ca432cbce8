import { hash, parseOptions, verify } from "@node-rs/argon2";
import { accountError } from "../account-errors.ts";

/** OWASP's first choice for argon2id. The library runs on its own threads; awaiting it blocks nobody. */
export const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** `Algorithm.Argon2id`; the library declares a const enum, which erasable syntax cannot name. */
export const ARGON2ID = 2;

/** An imported hash may ask for this much work and no more: checking it is work that a stranger can order. */
const MOST_MEMORY_KIB = 262_144;
const MOST_TIME = 16;

export function isArgon2(stored: string): boolean {
  return stored.startsWith("$argon2id$");
}

export function hashArgon2(password: string): Promise<string> {
  return hash(password, { ...COST, algorithm: ARGON2ID });
}

export function verifyArgon2(stored: string, password: string): Promise<boolean> {
  return verify(stored, password);
}

export function isWeakArgon2(stored: string): boolean {
  const { memoryCost, timeCost } = parseOptions(stored);
  return memoryCost < COST.memoryCost || timeCost < COST.timeCost;
}

export function checkImportedArgon2(stored: string): void {
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    if (memoryCost <= MOST_MEMORY_KIB && timeCost <= MOST_TIME && parallelism <= 8) return;
  } catch (cause) {
    throw accountError("HASH_REFUSED", "This argon2id hash is not whole.", { cause });
  }
  throw accountError("HASH_REFUSED", "Checking this argon2id hash would cost too much.");
}
