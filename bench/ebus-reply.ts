// @proves ebus.arbitration.qq-delay
// How long a plain adapter waits between its SYN and our address, over TCP on loopback: the contract wants 4.3 ms. The
// floor is a socket of this process that answers each byte with one, measured in the same run.
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { createAdapterDial, createBus, readAdapterAddress } from "@steading/ebus";
import { createRealClock, createReception, millis, silentLog } from "@steading/kernel";

const SAMPLES = 100;
const SYN = 0xaa;
const LIMIT = 4.3;

/** Sends a SYN every 40 ms and times the first byte that comes back after each. */
async function measure(join: (port: number) => () => Promise<void> | void): Promise<readonly number[]> {
  const delays: number[] = [];
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => (done = resolve));
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    let sentAt = 0;
    const timer = setInterval(() => {
      sentAt = performance.now();
      socket.write(Uint8Array.of(SYN));
    }, 40);
    socket.on("data", () => {
      if (sentAt > 0) delays.push(performance.now() - sentAt);
      sentAt = 0;
      if (delays.length >= SAMPLES) done();
    });
    socket.on("error", () => {});
    socket.on("close", () => clearInterval(timer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const leave = join((server.address() as AddressInfo).port);
  await finished;
  await leave();
  server.close();
  return delays.toSorted((a, b) => a - b);
}

function print(name: string, delays: readonly number[]): void {
  const at = (part: number): string =>
    `${(delays[Math.floor((delays.length - 1) * part)] ?? 0).toFixed(2)} ms`.padStart(10);
  const late = delays.filter((delay) => delay > LIMIT).length;
  console.log(`${name.padEnd(40)}${at(0.5)}${at(0.9)}${at(0.99)}${`${late} of ${delays.length}`.padStart(14)}`);
}

console.log(`node ${process.version}; ${SAMPLES} SYN, 40 ms apart`);
console.log(
  `${"".padEnd(40)}${"median".padStart(10)}${"90 %".padStart(10)}${"99 %".padStart(10)}${`over ${LIMIT} ms`.padStart(14)}`,
);
print(
  "floor: a socket that answers",
  await measure((port) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("data", () => socket.write(Uint8Array.of(0x71)));
    return () => void socket.destroy();
  }),
);
print(
  "our address after a SYN",
  await measure((port) => {
    const clock = createRealClock();
    const address = readAdapterAddress(`tcp-plain://127.0.0.1:${port}`);
    const bus = createBus({
      name: "bench",
      dial: createAdapterDial({ address, clock }),
      protocol: "plain",
      clock,
      reception: createReception(clock),
      log: silentLog,
      warmUp: millis(100),
      latencyMs: 0,
    });
    // Nobody echoes, so each address is lost, and the search for one goes on asking.
    bus.start(new AbortController().signal);
    return () => bus.stop();
  }),
);
process.exit(0);
