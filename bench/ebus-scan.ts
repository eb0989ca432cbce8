// A whole scan, all 228 addresses, with the product's own waits and the house's own traffic, over an enhanced, a plain TCP
// and a serial adapter at once, three times. The floor is the contract's pace: 100 ms an address.
import {
  allTargets,
  createAdapterDial,
  createBus,
  readAdapterAddress,
  scan,
  type EbusBus,
  type ScanReport,
} from "@steading/ebus";
import { createRealClock, createReception, seconds, silentLog } from "@steading/kernel";
import { createHouse } from "@steading/sim";

const ROUNDS = 3;
const FACES = "04 NETX3, 08 BAI00, 15 BASV2, 26 VR_71, 35 VR_92, ec BASV2, f6 NETX3";
const clock = createRealClock();

async function admitted(bus: EbusBus): Promise<void> {
  await new Promise<void>((resolve) => {
    bus.onState(({ sourceState }) => sourceState === "admitted" && resolve());
  });
}

async function scanOver(adapter: string): Promise<string> {
  const address = readAdapterAddress(adapter);
  const bus = createBus({
    name: "bench",
    dial: createAdapterDial({ address, clock }),
    protocol: address.protocol,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  const ready = admitted(bus);
  bus.start(new AbortController().signal);
  await ready;
  const began = clock.monotonic();
  const report = await scan({
    read: bus.read,
    clock,
    targets: allTargets(),
    known: bus.census.answers,
    signal: AbortSignal.timeout(seconds(600)),
  });
  const took = (clock.monotonic() - began) / 1_000;
  await bus.stop();
  return `${told(report)}; ${took.toFixed(0)} s, ${(took / (allTargets().length / 10)).toFixed(1)} times the pace`;
}

function told({ found, silent, undecided }: ScanReport): string {
  const faces = found
    .toSorted((a, b) => a.address - b.address)
    .map(({ address, deviceId }) => `${hex(address)} ${deviceId}`);
  const whole = faces.join(", ") === FACES;
  return `${whole ? `all ${faces.length} faces` : `ONLY ${faces.join(", ")}`}, ${silent.length} silent, ${undecided.length} undecided`;
}

function hex(address: number): string {
  return address.toString(16).padStart(2, "0");
}

console.log(`node ${process.version}; ${allTargets().length} addresses, traffic on`);
for (let round = 1; round <= ROUNDS; round += 1) {
  const houses = [createHouse(), createHouse(), createHouse()] as const;
  const { enh } = await houses[0].start({ enh: 0 });
  const { plain } = await houses[1].start({ plain: 0 });
  const { pty } = await houses[2].start({ pty: true });
  const adapters = [
    `enh://127.0.0.1:${enh?.port}`,
    `tcp-plain://127.0.0.1:${plain?.port}`,
    ...(pty && "path" in pty ? [`serial://${pty.path}`] : []),
  ];
  const results = await Promise.all(adapters.map(scanOver));
  for (const [n, adapter] of adapters.entries())
    console.log(`${round}  ${adapter.split("://")[0]?.padEnd(10)} ${results[n]}`);
  if (pty && "unavailable" in pty) console.log(`${round}  serial     ${pty.unavailable}`);
  await Promise.all(houses.map((house) => house.stop()));
}
process.exit(0);
