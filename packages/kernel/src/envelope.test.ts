import { expect, test } from "vitest";
import { createEnvelope } from "./envelope.ts";

const contract = { name: "helianthus-ebus-mcp", major: 1, minor: 0 };
const at = Date.UTC(2026, 0, 1);

test("an envelope has the contract, the consistency, the time and the hash of its data", () => {
  expect(createEnvelope({ contract, consistency: { mode: "LIVE" }, at, data: {} })).toEqual({
    meta: {
      contract: { name: "helianthus-ebus-mcp", major: 1, minor: 0 },
      consistency: { mode: "LIVE" },
      data_timestamp: "2026-01-01T00:00:00.000Z",
      data_hash: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    },
    data: {},
    error: null,
  });
});

test("a snapshot's envelope names it, and the same data has the same hash", () => {
  const live = createEnvelope({ contract, consistency: { mode: "LIVE" }, at, data: { b: 1, a: 2 } });
  const kept = createEnvelope({
    contract,
    consistency: { mode: "SNAPSHOT", snapshotId: "s1" },
    at: at + 5,
    data: { a: 2, b: 1 },
  });
  expect(kept.meta.consistency).toEqual({ mode: "SNAPSHOT", snapshot_id: "s1" });
  expect(kept.meta.data_hash).toBe(live.meta.data_hash);
});

test("an error's envelope has no data and hashes null", () => {
  const error = { code: "TIMEOUT", message: "Too late.", retriable: true, source_layer: "gateway" };
  const envelope = createEnvelope({ contract, consistency: { mode: "LIVE" }, at, error });
  expect(envelope).toMatchObject({ data: null, error });
  expect(envelope.meta.data_hash).toBe("74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b");
});
