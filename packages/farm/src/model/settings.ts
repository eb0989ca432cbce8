import type { Json, JsonObject } from "@steading/kernel";
import type { Setting } from "./rows.ts";
import { masked } from "./secret-values.ts";
import type { Tables } from "./tables.ts";

/** What people set about the place itself, under the reference's keys. */
export interface Settings {
  get(key: string): Json | undefined;
  /** Every one by its key; what is secret is only told to be there. */
  shown(): JsonObject;
  set(values: Readonly<Record<string, Json>>, by: string): Promise<void>;
}

export function createSettings({ tables, now }: { readonly tables: Tables; readonly now: () => number }): Settings {
  const find = (key: string): Setting | undefined => tables.all("system_settings").find((row) => row.key === key);
  return {
    get: (key) => find(key)?.value,
    shown: () => Object.fromEntries(tables.all("system_settings").map(({ key, value }) => [key, masked(key, value)])),
    async set(values, by) {
      const changes = Object.entries(values).map(([key, value]) => {
        const id = find(key)?.id ?? tables.nextId("system_settings");
        return { table: "system_settings", put: { id, key, value, updated_at: now() } } as const;
      });
      if (changes.length === 0) return;
      // The names are enough for the record: a value may be a secret.
      await tables.commit(changes, { kind: "farm.settings.changed", by, data: { keys: Object.keys(values) } });
    },
  };
}
