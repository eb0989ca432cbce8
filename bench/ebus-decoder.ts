// Symbols a second through the decoder, and through the whole listening path of the product (link, session, decoder,
// counters, census, a listener), as the amount grows. The bus makes 240 a second; the aim is a million. The peer is a
// naive loop over the same bytes that looks for SYN and adds the rest up: it neither unescapes, nor checks, nor tells.
import { createBus, createDecoder, encodeCommand, encodeResponse, type Link } from "@steading/ebus";
import { createRealClock, createReception, silentLog } from "@steading/kernel";
import { seededRandom } from "../test/support/seeded-random.ts";

const SIZES = [100_000, 1_000_000, 10_000_000];
const ROUNDS = 5;
const PIECE = 64;
const SYN = 0xaa;

/** A mix like a house's: reads with answers and broadcasts, a third of the data random so that escapes occur. */
function traffic(symbols: number): Uint8Array {
  const random = seededRandom(7);
  const byte = (): number => Math.floor(random() * 256);
  const wire: number[] = [];
  while (wire.length < 100_000) {
    wire.push(SYN);
    const data = Uint8Array.from({ length: Math.floor(random() * 17) }, byte);
    const target = random() < 0.3 ? 0xfe : 0x15;
    wire.push(...encodeCommand({ source: 0x10, target, primary: 0xb5, secondary: 0x24, data }));
    if (target === 0x15) wire.push(0, ...encodeResponse(Uint8Array.from({ length: 9 }, byte)), 0);
  }
  const whole = new Uint8Array(symbols);
  for (let at = 0; at < symbols; at += wire.length) whole.set(wire.slice(0, Math.min(wire.length, symbols - at)), at);
  return whole;
}

function best(symbols: number, run: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    sink += run();
    least = Math.min(least, performance.now() - before);
  }
  return (symbols / least) * 1_000;
}

let sink = 0;

function naive(bytes: Uint8Array): number {
  let [syns, sum] = [0, 0];
  for (const byte of bytes) {
    if (byte === SYN) syns += 1;
    else sum = (sum + byte) & 0xff;
  }
  return syns + sum;
}

function decode(bytes: Uint8Array): number {
  const decoder = createDecoder();
  let telegrams = 0;
  for (const byte of bytes) decoder.push(byte, (event) => void (telegrams += event.kind === "telegram" ? 1 : 0));
  return telegrams;
}

async function listenToAll(bytes: Uint8Array): Promise<number> {
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
  let telegrams = 0;
  bus.onTelegram(() => void (telegrams += 1));
  bus.start(new AbortController().signal);
  await new Promise((resolve) => setImmediate(resolve));
  const before = performance.now();
  for (let at = 0; at < bytes.length; at += PIECE) say?.(bytes.subarray(at, at + PIECE));
  const took = performance.now() - before;
  sink += telegrams;
  return (bytes.length / took) * 1_000;
}

const figure = (perSecond: number): string => `${(perSecond / 1e6).toFixed(1)} M/s`.padStart(12);
console.log(`node ${process.version}; best of ${ROUNDS}; pieces of ${PIECE} symbols; one telegram listener`);
console.log(`${"symbols".padEnd(44)}${SIZES.map((size) => String(size).padStart(12)).join("")}`);
const all = SIZES.map(traffic);
const naives = all.map((bytes) => best(bytes.length, () => naive(bytes)));
const decoded = all.map((bytes) => best(bytes.length, () => decode(bytes)));
const listened: number[] = [];
for (const bytes of all) {
  let most = 0;
  for (let round = 0; round < ROUNDS; round += 1) most = Math.max(most, await listenToAll(bytes));
  listened.push(most);
}
console.log(`${"peer: naive byte loop".padEnd(44)}${naives.map(figure).join("")}`);
console.log(`${"decoder (aim 1 M/s)".padEnd(44)}${decoded.map(figure).join("")}`);
console.log(`${"listening path of the product".padEnd(44)}${listened.map(figure).join("")}`);
const ratio = (of: readonly number[]): string =>
  of.map((each, n) => `1/${((naives[n] ?? 0) / each).toFixed(0)}`.padStart(12)).join("");
console.log(`${"decoder against the peer".padEnd(44)}${ratio(decoded)}`);
console.log(`${"listening path against the peer".padEnd(44)}${ratio(listened)}`);
if (sink === -1) console.log(sink);
process.exit(0);
