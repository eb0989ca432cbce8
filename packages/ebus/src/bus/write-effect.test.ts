import {
  createApprovals,
  createDoor,
  createJournal,
  createManualClock,
  createMemoryLedger,
  createReception,
  silentLog,
} from "@steading/kernel";
import { expect, test } from "vitest";
import { D2C } from "../wire/number-types.ts";
import type { ExchangeResult } from "./exchange-result.ts";
import { createWriteEffect, type BusWrite, type WriteWire } from "./write-effect.ts";

const success = (response: Uint8Array): ExchangeResult => ({
  outcome: "success",
  reason: "done",
  response,
  transmissions: 1,
  acknowledged: true,
});

/** A device with one register of sixteenths, which keeps what it is sent. */
function createRegister(): WriteWire {
  let stored: Uint8Array = Uint8Array.of(0, 0);
  return {
    async send({ data }, { firstByte }) {
      firstByte();
      stored = data;
      return success(new Uint8Array());
    },
    readFresh: async () => success(stored),
  };
}

// @proves ebus.type.encode-publishes-encoded
test("what is told after a write is the step that the wire carried, not the number that was asked for", async () => {
  const clock = createManualClock();
  const reception = createReception(clock);
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log: silentLog });
  const approvals = createApprovals({ ledger, journal, clock });
  const door = createDoor({ ledger, journal, approvals, clock, reception, log: silentLog, access: () => "write" });
  const wanted = D2C.encode(55.1);
  const at = { target: 0x08, primary: 0xb5, secondary: 0x09 } as const;
  const write: BusWrite = {
    command: { ...at, data: wanted },
    readBack: { ...at, data: new Uint8Array() },
    decode: (response) => D2C.decode(response),
    satisfies: (found) => found === D2C.decode(wanted),
    summary: "Set the flow to 55.1 °C",
    arguments: { celsius: 55.1 },
    observer: "ebus.register",
    observeWith: {},
  };
  const { effect, observe } = createWriteEffect({ lane: "ebus:test", wire: createRegister(), reception, write });
  door.registerObserver("ebus.register", () => observe);
  const caller = { principal: "anna", role: "admin", transport: "internal", correlation: "1" } as const;
  const { receipt } = await door.perform({
    ...effect,
    tool: "test",
    caller,
    minimumRole: "operator",
    confirm: "plain",
  });
  expect(receipt).toMatchObject({ stage: "observed", observed: 55.125 });
});
