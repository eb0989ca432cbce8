import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { getRounds } from "bcryptjs";
import { accountError } from "../account-errors.ts";

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
/** Twice the work with each; 14 takes about two seconds. */
const MOST_ROUNDS = 14;

export function isBcrypt(stored: string): boolean {
  return BCRYPT.test(stored);
}

export function checkImportedBcrypt(stored: string): void {
  if (getRounds(stored) > MOST_ROUNDS)
    throw accountError(
      "HASH_REFUSED",
      `Checking a bcrypt hash of more than ${MOST_ROUNDS} rounds would cost too much.`,
    );
}

/**
 * Checks one old hash on a thread of its own: the library computes in JavaScript, and a tenth of a second of it would
 * hold up every other request. An account comes here until its first login succeeds, so a thread need not be kept.
 */
export function verifyBcrypt(stored: string, password: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(CHECK, { eval: true, workerData: { library: LIBRARY, stored, password } });
    worker.once("message", (matches) => resolve(matches === true));
    worker.once("error", reject);
    // After a message this changes nothing.
    worker.once("exit", (code) => reject(new Error(`The thread that checks a password ended with code ${code}.`)));
  });
}

const LIBRARY = createRequire(import.meta.url).resolve("bcryptjs");
/** A text and not a file: threads cannot load TypeScript, and this runs from source and from the build alike. */
const CHECK = `
const { parentPort, workerData } = require("node:worker_threads");
parentPort.postMessage(require(workerData.library).compareSync(workerData.password, workerData.stored));
`;
