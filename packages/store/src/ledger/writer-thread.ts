import { workerData } from "node:worker_threads";
import { toDatabaseFailure } from "../sqlite/database-failure.ts";
import { openCheckedDatabase, type OpenedDatabase } from "../sqlite/open-checked-database.ts";
import { openReserveFile, type ReserveFile } from "./reserve-file.ts";
import { runWriter } from "./run-writer.ts";
import { STATE_SCHEMA } from "./state-schema.ts";
import type { FromWriter, WriterData } from "./writer-messages.ts";

// The one thread that writes `state.db`. It imports little: a test file starts many of these.

// What the main thread passed is this type; both sides are built together.
const data = workerData as WriterData;
const say = (message: FromWriter): void => data.line.port.postMessage(message);
/** What SQLite needs besides the database to open it: its log and its index. */
const ROOM_TO_OPEN = 8 * 1024 * 1024;

try {
  const reserve = openReserveFile({ file: data.reserveFile, bytes: data.reserveBytes });
  const opened = openEvenIfFull(reserve);
  if ("refused" in opened) say({ kind: "refused", failure: opened.refused });
  else {
    runWriter({ ...opened, reserve, data, say });
    opened.db.close();
    reserve.close();
    say({ kind: "closed" });
  }
} catch (error) {
  say({ kind: "refused", failure: toDatabaseFailure(error, data.file) });
}
data.line.port.close();

/** A hub must come up on a full disk too: its effects towards safe are wanted most then. The reserve makes room. */
function openEvenIfFull(reserve: ReserveFile): OpenedDatabase {
  const open = (): OpenedDatabase => openCheckedDatabase({ ...data, schema: STATE_SCHEMA });
  try {
    return open();
  } catch (error) {
    if (toDatabaseFailure(error, data.file).code !== "STORE_FULL") throw error;
    reserve.frames(); // finds out where the used part ends
    if (!reserve.giveBack(ROOM_TO_OPEN)) throw error;
    return open();
  }
}
