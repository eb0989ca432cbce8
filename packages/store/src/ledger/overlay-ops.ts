import type { StreamName } from "@steading/kernel";
import { fromOrderedKey } from "./ordered-key.ts";
import type { Overlay } from "./overlay.ts";
import { OP_DELETE, OP_PUT, type Ops } from "./writer-messages.ts";

interface OpsVisitor {
  entry(space: string, key: string, json: string | undefined, revision: number): void;
  record(stream: StreamName, seq: number, rest: Ops): void;
}

/** Lays operations over the database that wait in the reserve. They were written by this program, hence the casts. */
export function layOps(overlay: Overlay, ops: Ops): void {
  visit(ops, {
    entry: (space, key, json, revision) => overlay.set(space, key, { json, revision }),
    record(stream, seq, [at, kind, correlation, json, light]) {
      const record = { stream, kind: String(kind), at: Number(at), json: String(json), light: light === 1 };
      overlay.append({ ...record, correlation: correlation === null ? undefined : String(correlation) }, seq);
    },
  });
}

/** Takes away the entries that are in the database by now; records leave the overlay by their numbers. */
export function liftOps(overlay: Overlay, ops: Ops): void {
  visit(ops, { entry: (space, key, _json, revision) => overlay.settle(space, key, revision), record() {} });
}

function visit(ops: Ops, { entry, record }: OpsVisitor): void {
  for (let i = 0; i < ops.length;) {
    const [code, a, b, c, d] = ops.slice(i, i + 5);
    if (code === OP_DELETE) {
      entry(fromOrderedKey(String(a)), fromOrderedKey(String(b)), undefined, Number(c));
      i += 4;
    } else if (code === OP_PUT) {
      entry(fromOrderedKey(String(a)), fromOrderedKey(String(b)), String(c), Number(d));
      i += 5;
    } else {
      record(a as StreamName, Number(b), ops.slice(i + 3, i + 8));
      i += 8;
    }
  }
}
