import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Puts the whole file there in one step, and what was there before beside it. Answers the name of that copy. */
export function replaceFile(file: string, text: string, now: Date): string | undefined {
  const exists = existsSync(file);
  // A link stays a link: it is the file behind it that changes.
  const target = exists ? realpathSync(file) : file;
  mkdirSync(dirname(target), { recursive: true });
  const mode = exists ? statSync(target).mode & 0o777 : 0o600;
  const kept = exists ? `${target}.before-steading-${now.toISOString().replaceAll(/[:.]/g, "-")}` : undefined;
  if (kept !== undefined) copyFileSync(target, kept);
  const half = `${target}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(half, text, { mode, flag: "wx" });
    chmodSync(half, mode); // the process's mask may have taken some of it
    renameSync(half, target);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
  return kept;
}
