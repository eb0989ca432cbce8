// One hour of a bus at 80 % load, replayed through the listening path of the product: CPU time, and memory at every
// tenth of it. The physical floor is the bus itself: 2400 Bd, 240 symbols a second, so an hour is what it takes there.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createBus, encodeCommand, encodeResponse, type Link } from "@steading/ebus";
import { createRealClock, createReception, silentLog } from "@steading/kernel";
import { seededRandom } from "../test/support/seeded-random.ts";

const SYMBOLS_PER_SECOND = 240;
const HOUR = 3_600;
const LOAD = 0.8;
const STEPS = 10;
const SYN = 0xaa;
const HOURS = [1, 10];

// Only then is a heap the memory that is in use, and not what nobody has collected yet.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag just made

const random = seededRandom(11);
const byte = (): number => Math.floor(random() * 256);

/** One second of the bus: telegrams up to the load, SYN for the rest as an idle bus has them. */
function second(): Uint8Array {
  const wire: number[] = [];
  while (wire.length < SYMBOLS_PER_SECOND * LOAD) {
    wire.push(SYN);
    const data = Uint8Array.from({ length: Math.floor(random() * 12) }, byte);
    const target = random() < 0.3 ? 0xfe : ([0x08, 0x15, 0x26][Math.floor(random() * 3)] ?? 0x15);
    wire.push(...encodeCommand({ source: 0x10, target, primary: 0xb5, secondary: 0x24, data }));
    if (target !== 0xfe) wire.push(0, ...encodeResponse(Uint8Array.from({ length: 8 }, byte)), 0);
  }
  const idle = Math.max(1, Math.round((SYMBOLS_PER_SECOND * (1 - LOAD) * 4.17) / 44));
  return Uint8Array.from([...wire, ...Array.from({ length: idle }, () => SYN)]);
}

/** Ten minutes of different seconds, repeated: making them must not be part of what is measured. */
const seconds = Array.from({ length: 600 }, second);

const clock = createRealClock();
let say: ((piece: Uint8Array) => void) | undefined;
const link: Link = { write() {}, onPiece: (listener) => (say = listener), onEnd() {}, close() {} };
const bus = createBus({
  name: "bench",
  protocol: "plain",
  readOnly: true,
  dial: async () => link,
  clock,
  reception: createReception(clock),
  log: silentLog,
});
bus.onTelegram(() => {});
bus.start(new AbortController().signal);
await new Promise((resolve) => setImmediate(resolve));

const mebibytes = (): string => {
  collect();
  return (process.memoryUsage().heapUsed / 2 ** 20).toFixed(1);
};

console.log(`node ${process.version}; load ${LOAD * 100} %; read only, one telegram listener; heap after a collection`);
for (const hours of HOURS) {
  const heap: string[] = [mebibytes()];
  const before = process.cpuUsage();
  const telegrams = bus.counters.telegrams;
  const symbols = bus.counters.symbols;
  for (let at = 0; at < HOUR * hours; at += 1) {
    say?.(seconds[at % seconds.length] ?? new Uint8Array());
    if ((at + 1) % ((HOUR * hours) / STEPS) === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      heap.push(mebibytes());
    }
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1e6;
  console.log(`${hours} h: ${bus.counters.symbols - symbols} symbols, ${bus.counters.telegrams - telegrams} telegrams`);
  console.log(
    `   CPU ${cpu.toFixed(2)} s, ${((cpu / (HOUR * hours)) * 100).toFixed(4)} % of one core at the speed of the bus`,
  );
  console.log(`   heap MiB at each tenth: ${heap.join(" ")}`);
}
process.exit(0);
