import { join } from "node:path";
import type { Caller, Clock, Journal } from "@steading/kernel";
import { stageRestore, type Store } from "@steading/store";

/** Where copies that were asked for over REST are; a name there is never a path. */
const FOLDER = "backups";

/** The farm's backup and restore calls: those of `steading backup` and `restore`, inside the data directory. */
export function createFarmBackups({
  data,
  store,
  journal,
  clock,
}: {
  readonly data: string;
  readonly store: Pick<Store, "backup">;
  readonly journal: Pick<Journal, "commit" | "record">;
  readonly clock: Clock;
}) {
  function note(kind: string, name: string, by: Caller): Promise<unknown> {
    const said = { by: by.principal, through: by.transport, name };
    const records = [journal.record("audit", { kind, correlation: by.correlation, data: said })];
    return journal.commit({ durability: "fixed", records });
  }

  return {
    async make(name: string, by: Caller) {
      const { madeAt, files } = await store.backup(join(data, FOLDER, name));
      await note("hub.backed-up", name, by);
      return { madeAt, bytes: Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    async restore(name: string, by: Caller) {
      await stageRestore({ dir: data, from: join(data, FOLDER, name), clock });
      await note("hub.restore-staged", name, by);
    },
  };
}
