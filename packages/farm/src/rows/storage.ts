import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { JsonObject } from "@steading/kernel";
import type { HubFacts } from "./system-info.ts";

/** Where the data is, and how much room the disk behind it has; null where that cannot be known. */
export async function storageJson({ databasePath }: Pick<HubFacts, "databasePath">): Promise<JsonObject> {
  if (databasePath === undefined) return { database: { path: null }, disk: null };
  try {
    const { bsize, blocks, bavail } = await statfs(dirname(databasePath));
    const [total, free] = [bsize * blocks, bsize * bavail];
    return { database: { path: databasePath }, disk: { total, free, used: total - free } };
  } catch {
    return { database: { path: databasePath }, disk: null }; // a page about storage must not fail with the storage
  }
}
