import { createAdapterDial, createBus, readAdapterAddress, type EbusBus } from "@steading/ebus";
import { createRealClock, createReception, seconds, silentLog } from "@steading/kernel";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { askFor, FAULT_TABLE } from "../support/ebus-fault-table.ts";

// ebusd has the bus: it arbitrates, repeats and frees it by its own rules. What is ours is the word for what it tells, and
// that nothing is asked twice.

let server: Server | undefined;
let bus: EbusBus | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  await bus?.stop();
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => (server ? void server.close(() => resolve()) : resolve()));
  server = undefined;
  bus = undefined;
});

/** A daemon that answers every command with what it was told to; undefined: it hangs up instead. */
async function startDaemon() {
  const asked: string[] = [];
  const daemon: { answer: string | undefined } = { answer: "" };
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    createInterface({ input: socket }).on("line", (line) => {
      asked.push(line);
      if (daemon.answer === undefined) socket.destroy();
      else socket.write(`${daemon.answer}\n\n`);
    });
  });
  await new Promise<void>((resolve) => void server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const clock = createRealClock();
  const address = readAdapterAddress(`ebusd-tcp://127.0.0.1:${port}`);
  const made = createBus({
    name: "heating",
    dial: createAdapterDial({ address, clock }),
    protocol: address.protocol,
    clock,
    reception: createReception(clock),
    log: silentLog,
  });
  bus = made;
  const ready = (): Promise<void> =>
    new Promise((resolve) => {
      const look = (): boolean => made.state.ready && made.state.connected;
      if (look()) return resolve();
      const forget = made.onState(() => {
        if (!look()) return;
        forget();
        resolve();
      });
    });
  made.start(new AbortController().signal);
  await ready();
  return { bus: made, asked, daemon, ready };
}

test("over ebusd: every fault ends in its word, is asked once, and the next question works", async () => {
  const { bus: made, asked, daemon } = await startDaemon();
  for (const row of FAULT_TABLE) {
    daemon.answer = row.daemon;
    expect((await askFor(made, row, seconds(10))).outcome, row.name).toBe(row.outcome);
    expect(asked.splice(0), row.name).toHaveLength(1);
    daemon.answer = "0ab556525f373101005904";
    expect(await made.read({ target: 0x26, primary: 7, secondary: 4, data: new Uint8Array() })).toMatchObject({
      outcome: "success",
    });
    expect(asked.splice(0)).toEqual(["hex -n 260704"]);
  }
});

test("over ebusd: a daemon that hangs up ends the question as timeout; it is not asked again by itself", async () => {
  const { bus: made, asked, daemon, ready } = await startDaemon();
  daemon.answer = undefined;
  const [row] = FAULT_TABLE;
  if (!row) throw new Error("The table is empty.");
  expect(await askFor(made, row, seconds(10))).toMatchObject({
    outcome: "timeout",
    reason: "disconnected",
  });
  await ready();
  expect(asked.splice(0)).toHaveLength(1);
  daemon.answer = "0ab556525f373101005904";
  expect(await askFor(made, row, seconds(10))).toMatchObject({ outcome: "success" });
});
