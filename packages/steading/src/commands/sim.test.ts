import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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

async function started(device: string): Promise<Ran & { readonly ready: Record<string, unknown> }> {
  const file = join(dir, "ready.json");
  const ran = runMain(["sim", device, "--ready-file", file]);
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
