import { accountError } from "../account-errors.ts";
import { checkImportedArgon2, hashArgon2, isArgon2, isWeakArgon2, verifyArgon2 } from "./argon2-hash.ts";
import { checkImportedBcrypt, isBcrypt, verifyBcrypt } from "./bcrypt-hash.ts";
import { createHashPlaces, type HashPlaces } from "./hash-places.ts";
import { fits, normalPassword } from "./password-rules.ts";

export interface PasswordHashes {
  hash(password: string): Promise<string>;
  /**
   * Does the password belong to the stored hash? Without one, the same work is done for nothing: how long an answer
   * takes must not tell whether there is an account.
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  /** An old or weak hash that should be replaced as soon as the password is at hand. */
  isOld(stored: string): boolean;
  /** Throws HASH_REFUSED for what we could not check, or not afford to. */
  checkImported(stored: string): void;
  readonly places: HashPlaces;
}

/** Tried where a password is too long to be one; the answer is thrown away. */
const STAND_IN = "no password is this one";

export function createPasswordHashes(limits: {
  readonly hashing: number;
  readonly hashingWaiting: number;
  readonly passwordBytes: number;
}): PasswordHashes {
  const places = createHashPlaces(limits);
  let nobody: Promise<string> | undefined;

  async function matches(stored: string | undefined, given: string): Promise<boolean> {
    if (stored === undefined || !fits(given, limits.passwordBytes)) {
      nobody ??= hashArgon2(STAND_IN);
      await verifyArgon2(await nobody, "something else");
      return false;
    }
    // Old hashes were made of the text as it came.
    if (isBcrypt(stored)) return verifyBcrypt(stored, given);
    return verifyArgon2(stored, normalPassword(given));
  }

  return {
    hash: (password) => places.run(() => hashArgon2(normalPassword(password))),
    verify: (stored, password) => places.run(() => matches(stored, password)),
    isOld: (stored) => !isArgon2(stored) || isWeakArgon2(stored),
    checkImported(stored) {
      if (isBcrypt(stored)) return checkImportedBcrypt(stored);
      if (isArgon2(stored)) return checkImportedArgon2(stored);
      throw accountError("HASH_REFUSED", "Only bcrypt and argon2id hashes can be imported.");
    },
    places,
  };
}
