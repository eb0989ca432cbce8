import type { Commit, NewRecord } from "@steading/kernel";
import { expect, test } from "vitest";
import { openTestStore, temporaryDirectory } from "./test-directory.fixture.ts";

const commitOf = (...records: NewRecord[]): Commit => ({ durability: "kept", records });

// @proves store.threads.scans-elsewhere
test("records are found by run, kind and time, page by page", async () => {
  const { ledger, findRecords } = await openTestStore(temporaryDirectory());
  for (let n = 0; n < 30; n++) {
    const kind = n % 2 === 0 ? "tick" : "tock";
    await ledger.commit(commitOf({ stream: "runs", kind, at: 1_000 + n, correlation: `run-${n % 3}`, data: { n } }));
  }
  const seen = async (query: Omit<Parameters<typeof findRecords>[0], "stream">) => {
    const { records, truncated } = await findRecords({ stream: "runs", ...query });
    return { n: records.map(({ data }) => data["n"]), truncated };
  };
  expect(await seen({ correlation: "run-1" })).toEqual({ n: [1, 4, 7, 10, 13, 16, 19, 22, 25, 28], truncated: false });
  expect(await seen({ correlation: "run-1", kind: "tick", limit: 2 })).toEqual({ n: [4, 10], truncated: true });
  expect(await seen({ correlation: "run-1", after: 11, limit: 2 })).toEqual({ n: [13, 16], truncated: true });
  expect(await seen({ from: 1_010, to: 1_013 })).toEqual({ n: [10, 11, 12], truncated: false });
  expect(await seen({ correlation: "nobody" })).toEqual({ n: [], truncated: false });
  expect((await findRecords({ stream: "runs", limit: 1 })).records[0]).toEqual(ledger.records("runs")[0]);
});

test("a search can be called off and ends with the store", async () => {
  const store = await openTestStore(temporaryDirectory());
  const gone = new AbortController();
  const search = store.findRecords({ stream: "bus", signal: gone.signal });
  gone.abort(new Error("no longer needed"));
  await expect(search).rejects.toThrow("no longer needed");
  await store.close();
  await expect(store.findRecords({ stream: "bus" })).rejects.toMatchObject({ code: "STORE_CLOSED" });
});
