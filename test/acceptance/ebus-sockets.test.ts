import { scan } from "@steading/ebus";
import { createRealClock, seconds } from "@steading/kernel";
import { afterEach, expect, test, type TestContext } from "vitest";
import { askFor, FAULT_TABLE, leftOnWire, struckIn, wantedOnWire } from "../support/ebus-fault-table.ts";
import { ADAPTERS, startSocketPlace, type Adapter, type SocketPlace } from "../support/ebus-sockets.ts";

let place: SocketPlace | undefined;
afterEach(async () => {
  await place?.stop();
  place = undefined;
});

async function open(context: TestContext, adapter: Adapter, options = {}): Promise<SocketPlace> {
  const opened = await startSocketPlace(adapter, options);
  if (typeof opened === "string") return context.skip(opened);
  place = opened;
  return opened;
}

const identify = ({ bus }: SocketPlace, target: number, timeout = seconds(10)) =>
  bus.read({ target, primary: 7, secondary: 4, data: new Uint8Array(), timeout });

for (const adapter of ADAPTERS)
  // @proves ebus.transport.ens-equals-enh-on-tcp
  test(`over ${adapter}: every fault ends in its word, with its number of repetitions, and frees the bus`, async (context) => {
    const opened = await open(context, adapter);
    const { house, bus } = opened;
    await opened.until(() => bus.state.sourceState === "admitted");
    for (const row of FAULT_TABLE) {
      const before = house.exchanges.length;
      const struckBefore = struckIn(house);
      row.arm(house);
      if (row.idle) await opened.until(() => struckIn(house) > struckBefore);
      // What ends only with the call's own deadline would keep the machine busy for nothing.
      const result = await askFor(bus, row, row.untilDeadline ? seconds(1) : seconds(10));
      expect(result.outcome, row.name).toBe(row.outcome);
      if (row.answersLast !== undefined) expect(result.response?.at(-1), row.name).toBe(row.answersLast);
      if (!row.setting) expect(struckIn(house), row.name).toBeGreaterThan(struckBefore);
      house.knobs.reset();
      house.knobs.turn({ traffic: false });
      await opened.until(() => bus.state.signal === "ok");
      expect((await identify(opened, 0x26)).outcome, `after ${row.name}`).toBe("success");
      expect(leftOnWire(house, before), row.name).toMatchObject(wantedOnWire(row));
    }
  });

for (const adapter of ["enh", "tcp-plain", "serial"] as const)
  test(`over ${adapter}: a scan finds every device of the house, at every address it has`, async (context) => {
    const opened = await open(context, adapter);
    const { bus } = opened;
    await opened.until(() => bus.state.sourceState === "admitted");
    const candidates = [0x04, 0x08, 0x15, 0x26, 0x35, 0xec, 0xf6, 0x50, 0x75];
    const report = await scan({
      read: bus.read,
      clock: createRealClock(),
      targets: candidates,
      signal: new AbortController().signal,
    });
    expect(Object.fromEntries(report.found.map(({ address, deviceId }) => [address, deviceId]))).toEqual({
      [0x04]: "NETX3",
      [0x08]: "BAI00",
      [0x15]: "BASV2",
      [0x26]: "VR_71",
      [0x35]: "VR_92",
      [0xec]: "BASV2",
      [0xf6]: "NETX3",
    });
    expect(report.found.find(({ address }) => address === 0x08)?.serial).toBe("21-23-16-0020260914-0953-035469-N6");
    expect(report.silent).toEqual([0x50, 0x75]);
    expect(report.undecided).toEqual([]);
  });

// @proves ebus.transport.udp-resync
test("a lost datagram breaks the telegram under way and nothing else", async (context) => {
  const opened = await open(context, "udp-plain");
  const { house, bus } = opened;
  await opened.until(() => bus.state.sourceState === "admitted");
  for (let round = 0; round < 5; round += 1) {
    const asked = identify(opened, 0x15);
    house.knobs.faults.lostDatagram.arm({ times: 1 });
    await asked;
    await opened.until(() => house.knobs.faults.lostDatagram.left === 0);
    expect((await identify(opened, 0x26)).outcome).toBe("success");
  }
  expect(house.knobs.counts()["lostDatagram"]).toBe(5);
});
