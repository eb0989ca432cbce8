import { afterEach, expect, test } from "vitest";
import { HOUSE_KNOBS } from "@steading/sim";
import { askFor, FAULT_TABLE, leftOnWire, OTHER_KNOBS, struckIn, wantedOnWire } from "../support/ebus-fault-table.ts";
import { startEbusHouse, type EbusHouse } from "../support/ebus-house.ts";

let place: EbusHouse | undefined;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

for (const port of ["enh", "plain"] as const)
  for (const row of FAULT_TABLE)
    // @proves ebus.fault.drop-ack ebus.fault.nack ebus.fault.command-crc ebus.fault.response-crc ebus.fault.stuck-syn ebus.fault.arbitration-theft
    // @proves ebus.fault.framing ebus.fault.no-hang ebus.enh.framing-error-in-arbitration ebus.timing.timeout-no-retry
    // @proves ebus.exchange.nack-repeat ebus.exchange.nack-final ebus.exchange.response-crc-repeat ebus.exchange.response-crc-final
    // @proves ebus.exchange.ack-position ebus.timing.echo-mismatch ebus.exchange.release-syn
    test(`over ${port}: ${row.name} ends as ${row.outcome}, and the bus is free afterwards`, async () => {
      place = await startEbusHouse({ port, house: { knobs: { traffic: false } } });
      const { house, clock, bus } = place;
      await place.admitted();
      const before = house.exchanges.length;
      const struckBefore = struckIn(house);
      row.arm(house);
      if (row.idle) await place.until(() => struckIn(house) > struckBefore);
      const asked = clock.monotonic();
      const result = await place.run(askFor(bus, row));
      expect(result.outcome).toBe(row.outcome);
      if (row.answersLast !== undefined) expect(result.response?.at(-1)).toBe(row.answersLast);
      expect(clock.monotonic() - asked).toBeLessThanOrEqual(2_010);

      // A row that passes because the house behaved would prove nothing.
      if (!row.setting) expect(struckIn(house)).toBeGreaterThan(struckBefore);

      house.knobs.reset();
      house.knobs.turn({ traffic: false });
      await place.until(() => bus.state.signal === "ok");
      const after = await place.identify(0x26);
      expect(after.outcome).toBe("success");

      expect(leftOnWire(house, before)).toMatchObject(wantedOnWire(row));
      const sent = house.exchanges.slice(before).filter(({ origin }) => !/^(line|injected)$/.test(origin));
      for (const { commands } of sent) if (commands.length === 2 && !row.changed) expect(commands[1]).toBe(commands[0]);
    });

test("every knob of the house is a row of the table, or says where it is tried", () => {
  const actions = ["resetAdapter", "adapterError", "cut", "inject"];
  const named = [...new Set(FAULT_TABLE.map(({ knob }) => knob)), ...Object.keys(OTHER_KNOBS)];
  expect(named.toSorted()).toEqual([...HOUSE_KNOBS, ...actions].toSorted());
});
