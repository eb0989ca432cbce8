import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAdapterDial, createBus, readAdapterAddress, type EbusBus, type ExchangeResult } from "@steading/ebus";
import { createRealClock, createReception, millis, seconds, silentLog } from "@steading/kernel";
import { HOUSE_KNOBS } from "@steading/sim";
import { HOUSE_KNOB_FLAGS } from "./house-knob-flags.ts";
import { runMain, type Ran } from "../testing/run-main.ts";

let dir: string;
let running: Ran[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "steading-sim-"));
  running = [];
});
afterEach(async () => {
  for (const each of running) each.stop();
  await Promise.all(running.map(({ code }) => code));
  rmSync(dir, { recursive: true });
});

async function started(device: string, ...flags: string[]): Promise<Ran & { readonly ready: Record<string, unknown> }> {
  const file = join(dir, "ready.json");
  const ran = runMain(["sim", device, ...flags, "--ready-file", file]);
  running.push(ran);
  await vi.waitFor(() => expect(existsSync(file), ran.err()).toBe(true), { timeout: 15_000, interval: 10 });
  return { ...ran, ready: JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown> };
}

// @proves steading.command.sim
test("a simulated lamp answers on its own port until it is stopped", async () => {
  const { ready, out, stop, code } = await started("lamp");
  const [host = "", port = ""] = String(ready["lamp"]).split(":");
  expect(out()).toContain(`lamp       ${host}:${port}`);
  const socket = connect(Number(port), host).setEncoding("utf8");
  socket.write("1\n");
  expect(await once(socket, "data")).toEqual(["A\n"]);
  socket.destroy();
  stop();
  expect(await code).toBe(0);
  expect(existsSync(join(dir, "ready.json"))).toBe(false);
});

test.each(["house", "farm"])("a simulated %s says where it can be reached", async (device) => {
  const { ready } = await started(device);
  const { pid, ...addresses } = ready;
  expect(pid).toBe(process.pid);
  expect(Object.values(addresses).length).toBeGreaterThan(0);
  for (const at of Object.values(addresses)) expect(at).toMatch(/^127\.0\.0\.1:\d+$/);
});

test("a port that is taken, and a device that is none, are told", async () => {
  const { ready } = await started("lamp");
  const [, port = ""] = String(ready["lamp"]).split(":");
  const taken = runMain(["sim", "lamp", "--port", port]);
  expect(await taken.code).toBe(5);
  expect(taken.err()).toContain(port);
  const unknown = runMain(["sim", "toaster"]);
  expect(await unknown.code).toBe(2);
});

/** Asks 15 over that adapter who it is. */
async function identifyOver(
  adapter: string,
  use: (ask: () => Promise<ExchangeResult>) => Promise<void>,
): Promise<void> {
  const clock = createRealClock();
  const address = readAdapterAddress(adapter);
  const bus: EbusBus = createBus({
    name: "test",
    dial: createAdapterDial({ address, clock }),
    protocol: address.protocol,
    clock,
    reception: createReception(clock),
    log: silentLog,
    warmUp: millis(200),
    timing: { echo: seconds(2), answer: seconds(2) },
  });
  const admitted = new Promise<void>((resolve) => {
    bus.onState(({ sourceState }) => sourceState === "admitted" && resolve());
  });
  bus.start(new AbortController().signal);
  try {
    await admitted;
    await use(() => bus.read({ target: 0x15, primary: 7, secondary: 4, data: new Uint8Array(), timeout: seconds(10) }));
  } finally {
    await bus.stop();
  }
}

test("a house takes its knobs from the command line and from lines while it runs", async () => {
  const { ready, input, out } = await started("house", "--nack", "target=15,times=200", "--traffic", "off", "--stdin");
  await identifyOver(`enh://${String(ready["enh"])}`, async (ask) => {
    expect((await ask()).outcome).toBe("nack");
    input.write("nack off\n\nnack target=zz\nlatencyMs 5\n");
    await vi.waitFor(() =>
      expect(out()).toMatch(/ok\nerror: Knob nack: target: expected two hex digits, got zz\.\nok\n$/),
    );
    expect((await ask()).outcome).toBe("success");
  });
});

test("a house has serial lines where they are asked for, and their paths are printed", async (context) => {
  const file = join(dir, "ready.json");
  const ran = runMain(["sim", "house", "--pty", "--enh-pty", "--traffic", "off", "--ready-file", file]);
  running.push(ran);
  const ended = ran.code.then(() => "ended");
  const begun = vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 15_000, interval: 10 });
  if ((await Promise.race([ended, begun])) === "ended") {
    expect(ran.err()).toContain("pseudo terminal"); // whatever else ends it is a fault
    return context.skip(ran.err());
  }
  const { pty, enhPty } = JSON.parse(readFileSync(file, "utf8")) as { pty: string; enhPty: string };
  expect(ran.out()).toContain(`pty        ${pty}`);
  expect(ran.out()).toContain(`enhPty     ${enhPty}`);
  await identifyOver(`enh://${enhPty}`, async (ask) => expect((await ask()).outcome).toBe("success"));
  await identifyOver(`serial://${pty}`, async (ask) => expect((await ask()).outcome).toBe("success"));
});

test("the flags of the house are its knobs, no more and no less, and a wrong one is wrong usage", async () => {
  expect(HOUSE_KNOB_FLAGS.map(({ name }) => name).toSorted()).toEqual(HOUSE_KNOBS.toSorted());
  const help = runMain(["sim", "house", "--help"]);
  expect(await help.code).toBe(0);
  for (const flag of ["--pty", "--latency-ms", "--response-crc [options]", "--lost-timer-slot", "--stdin"])
    expect(help.out()).toContain(flag);
  for (const [flags, says] of [
    [["--latency-ms", "5000"], "expected a number from 0 to 1000"],
    [["--nack", "often=2"], "no option often"],
    [["--nacks"], "unknown option"],
  ] as const) {
    const { code, err } = runMain(["sim", "house", ...flags]);
    expect(await code, flags.join(" ")).toBe(2);
    expect(err()).toContain(says);
  }
});
