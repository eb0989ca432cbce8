import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  /** A path inside. */
  at(...names: string[]): string;
  remove(): Promise<void>;
}

/** A folder of a test's own. The name stays short: a Unix socket inside may have about a hundred characters. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "stead-"));
  return {
    path,
    at: (...names) => join(path, ...names),
    // A hub that has just ended may still be letting go of its files.
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
