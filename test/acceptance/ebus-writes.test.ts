import type { BusWrite } from "@steading/ebus";
import {
  createApprovals,
  createDoor,
  createJournal,
  createMemoryLedger,
  silentLog,
  type Caller,
  type Clock,
  type Outcome,
} from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { startEbusHouse, type EbusHouse } from "../support/ebus-house.ts";

let place: EbusHouse | undefined;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

const ANNA: Caller = { principal: "anna", role: "admin", transport: "internal", correlation: "1" };

/** Zone 1's wanted temperature, the write of the contract's vector. */
function desired(celsius: number): BusWrite {
  const value = Buffer.alloc(4);
  value.writeFloatLE(celsius);
  return {
    command: { target: 0x15, primary: 0xb5, secondary: 0x24, data: Uint8Array.of(2, 1, 3, 0, 0x22, 0, ...value) },
    readBack: { target: 0x15, primary: 0xb5, secondary: 0x24, data: Uint8Array.of(2, 0, 3, 0, 0x22, 0) },
    decode: (response) => Buffer.from(response).readFloatLE(4),
    satisfies: (found) => found === celsius,
    summary: `Set zone 1 to ${celsius} °C`,
    arguments: { zone: 1, celsius },
    observer: "ebus.register",
    observeWith: { celsius },
  };
}

async function withDoor(access: "read" | "write" = "write") {
  place = await startEbusHouse({ port: "enh", house: { knobs: { traffic: false } } });
  const { bus, house } = place;
  // Symbols last 4.17 ms, and the house's clock stops between two whole milliseconds; the machine's never does.
  const clock: Clock = { ...place.clock, now: () => Math.floor(place?.clock.now() ?? 0) };
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  const door = createDoor({
    ledger,
    journal,
    approvals,
    clock,
    reception: place.reception,
    log: silentLog,
    access: () => access,
  });
  door.registerObserver("ebus.register", ({ celsius }) => bus.write(desired(Number(celsius))).observe);
  await place.admitted();
  const start = house.exchanges.length;
  const set = (celsius: number, key?: string): Promise<Outcome> => {
    const { effect } = bus.write(desired(celsius));
    const asked = { ...effect, tool: "test", caller: ANNA, minimumRole: "operator", confirm: "plain" } as const;
    return door.perform({ ...asked, ...(key !== undefined && { key }) });
  };
  const writes = (): string[] =>
    house.exchanges
      .slice(start)
      .flatMap(({ commands }) => commands.filter((text) => text.startsWith("71 15 B5 24 0A 02 01")));
  const run = place.run;
  return { set, writes, run, house };
}

// @proves ebus.write.read-back
test("a write is observed by what is read back after it", async () => {
  const { set, run, writes } = await withDoor();
  const outcome = await run(set(21));
  expect(outcome.receipt).toMatchObject({ stage: "observed", observed: 21 });
  expect(writes()).toEqual(["71 15 B5 24 0A 02 01 03 00 22 00 00 00 A8 41"]);
});

test("a write that the device acknowledges and ignores is not observed", async () => {
  const { set, run } = await withDoor();
  const outcome = await run(set(99)); // beyond 30 °C: answered, and not stored
  expect(outcome.receipt.stage).not.toBe("observed");
});

// @proves ebus.write.one-writer
test("two writes at once go out one after the other, each with its read-back before the next", async () => {
  const { set, run, house } = await withDoor();
  const [first, second] = await run(Promise.all([set(20), set(21.5)]));
  expect([first.receipt.stage, second.receipt.stage]).toEqual(["observed", "observed"]);
  const order = house.exchanges
    .flatMap(({ commands }) => commands)
    .filter((text) => text.startsWith("71 15 B5 24"))
    .map((text) => (text.startsWith("71 15 B5 24 0A") ? "write" : "read"));
  expect(order.filter((word, n) => word === "write" && order[n + 1] === "write")).toEqual([]);
});

// @proves ebus.write.no-retry-after-ack
test("a write that was acknowledged is never sent again, whatever became of its answer", async () => {
  const { set, run, writes, house } = await withDoor();
  house.knobs.faults.responseCrc.arm({ target: 0x15, times: 2 });
  const outcome = await run(set(21, "k"));
  expect(["unknown", "observed"]).toContain(outcome.receipt.stage);
  expect(writes()).toHaveLength(1);
  await run(set(21, "k"));
  expect(writes()).toHaveLength(1);
});

test("a write that the device refuses has failed, and one that got no answer is unknown", async () => {
  const { set, run, house } = await withDoor();
  house.knobs.faults.nack.arm({ target: 0x15, times: 2 });
  expect((await run(set(21))).receipt.stage).toBe("failed");
  house.knobs.faults.dropAck.arm({ target: 0x15, times: 100 });
  expect((await run(set(22))).receipt.stage).toBe("unknown");
});

test("access: read lets no write pass", async () => {
  const { set, writes } = await withDoor("read");
  await expect(set(21)).rejects.toMatchObject({ code: "SERVER_READ_ONLY" });
  expect(writes()).toEqual([]);
});
