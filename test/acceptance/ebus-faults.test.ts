import { afterEach, expect, test } from "vitest";
import { FAULT_TABLE } from "../support/ebus-fault-table.ts";
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
    // @proves ebus.exchange.ack-position ebus.timing.echo-mismatch
    test(`over ${port}: ${row.name} ends as ${row.outcome}, and the bus is free afterwards`, async () => {
      place = await startEbusHouse({ port, house: { knobs: { traffic: false } } });
      const { house, clock, bus } = place;
      await place.admitted();
      const before = house.exchanges.length;
      const struck = (): number => Object.values(house.knobs.counts()).reduce((sum, count) => sum + count, 0);
      const struckBefore = struck();
      row.arm(house);
      if (row.idle) await place.until(() => struck() > struckBefore);
      const asked = clock.monotonic();
      const result = await place.identify(0x15, { timeoutMs: 2_000 });
      expect(result.outcome).toBe(row.outcome);
      expect(clock.monotonic() - asked).toBeLessThanOrEqual(2_010);

      // A row that passes because the house behaved would prove nothing.
      expect(struck()).toBeGreaterThan(struckBefore);

      house.knobs.reset();
      await place.until(() => bus.state.signal === "ok");
      const after = await place.identify(0x26);
      expect(after.outcome).toBe("success");

      const ours = house.exchanges.slice(before).filter(({ commands }) => commands[0]?.startsWith("71 15"));
      expect(ours.map(({ commands }) => commands.length)).toEqual(row.commands === undefined ? [] : [row.commands]);
      expect(ours[0]?.commands.every((command) => command === "71 15 07 04 00") ?? true).toBe(true);
      if (row.responses !== undefined) expect(ours[0]?.responses).toHaveLength(row.responses);
      if (row.ending !== undefined) expect(ours[0]?.outcome).toBe(row.ending);
    });
