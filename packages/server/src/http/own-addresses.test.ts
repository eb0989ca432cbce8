import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "vitest";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { ownAddresses } from "./own-addresses.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

/** Loopback, spelt so that it does not count as such. */
const OFF_LOOPBACK = { host: "::ffff:127.0.0.1", insecure: true };

function statusFor({ url }: TestShell, host: string): Promise<number | undefined> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path: "/health", headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asking.on("error", reject);
    asking.end();
  });
}

test("addresses are spelt as in a URL, without the zone of the link", () => {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  expect(ownAddresses()).toHaveLength(all.length);
  for (const address of ownAddresses()) expect(new URL(`http://${address}:3001`).hostname).toBe(address);
});

// @proves farm.mcp.host-interfaces
test("off loopback every address of the machine is a host, where the setting says so", async () => {
  shell = await startShell({ ownAddressesAllowed: true }, OFF_LOOPBACK);
  for (const address of ownAddresses()) expect(await statusFor(shell, `${address}:3001`)).toBe(200);
  for (const host of ["203.0.113.9", "farm.lan"]) expect(await statusFor(shell, host)).toBe(403);
});

test("on loopback, and without the setting, only names of loopback are", async () => {
  const others = ownAddresses().filter((address) => !address.startsWith("127.") && address !== "[::1]");
  for (const changes of [{ ownAddressesAllowed: true }, {}]) {
    const at = await startShell(changes);
    for (const address of others) expect(await statusFor(at, address)).toBe(403);
    await at.close();
  }
  await expect(startShell({}, OFF_LOOPBACK)).rejects.toMatchObject({ code: "LISTEN_INSECURE" });
});
