import { createManualClock } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import type { Wire } from "../modbus/wire.ts";
import { createMemoryDial } from "../testing/memory-wire.ts";
import { createTrialApi } from "../testing/trial-api.ts";
import { createTrialFarm } from "../testing/trial-farm.ts";

describe("the network", () => {
  // @proves farm.equipment-api.scan
  test("one /24 is tried, fifty addresses at once, and who is known already is not dialled", async () => {
    const tried: string[] = [];
    let under = 0;
    let most = 0;
    const net = createMemoryDial();
    const farm = createTrialFarm({
      clock: createManualClock(),
      dial:
        ({ host, port }) =>
        async (): Promise<Wire> => {
          tried.push(`${host}:${port}`);
          under += 1;
          most = Math.max(most, under);
          await new Promise((resolve) => setImmediate(resolve));
          under -= 1;
          if (host !== "192.168.7.40") throw new Error("refused");
          return net.dial(new AbortController().signal);
        },
    });
    const api = createTrialApi(farm);
    await api.call("POST", "/api/equipment", { body: { name: "Known", address: "192.168.7.41", enabled: false } });
    const { status, json } = await api.call("POST", "/api/equipment/scan", { body: { subnet: "192.168.7.0/24" } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      discovered: [
        { address: "192.168.7.40:502", existing: false, equipment: [] },
        { address: "192.168.7.40:503", existing: false },
        { address: "192.168.7.41:502", existing: true, equipment: [1] },
      ],
      existingDevicesFound: 1,
      totalFound: 3,
      scanInfo: { subnet: "192.168.7.0/24", ports: [502, 503], timeout: 1_000, scanType: "network", probes: 508 },
      message: expect.any(String) as unknown,
    });
    expect(most).toBe(50);
    expect(tried).toHaveLength(507);
    expect(tried).not.toContain("192.168.7.41:502");
    tried.length = 0;
    const quick = { subnet: "192.168.7", ports: [502], scanType: "quick", timeout: 1 };
    expect((await api.call("POST", "/api/equipment/scan", { body: quick })).json).toMatchObject({
      scanInfo: { timeout: 100, scanType: "quick" },
    });
    expect(tried.length).toBeLessThan(50);
    await farm.stop();
  });

  test("nobody else's network is searched, nor more than one /24, and a viewer searches nothing", async () => {
    const farm = createTrialFarm({ clock: createManualClock() });
    const api = createTrialApi(farm);
    for (const subnet of ["8.8.8.0/24", "10.0.0.0/8", "192.168.1.0/16", "192.168.300", "fd00::", "x"]) {
      expect((await api.call("POST", "/api/equipment/scan", { body: { subnet } })).status).toBe(400);
    }
    expect((await api.call("POST", "/api/equipment/scan", { role: "viewer", body: {} })).status).toBe(403);
    await farm.stop();
  });
});

describe("the units of a gateway", () => {
  // @proves farm.equipment-api.scan-slaves-serial
  test("one question is on the way at a time", async () => {
    let under = 0;
    let most = 0;
    const units: number[] = [];
    const net = createMemoryDial({
      onWrite(bytes, far) {
        under += 1;
        most = Math.max(most, under);
        units.push(bytes[6] ?? 0);
        setImmediate(() => {
          under -= 1;
          far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, 3, bytes[6] ?? 0, (bytes[7] ?? 0) | 0x80, 1)]));
        });
      },
    });
    const farm = createTrialFarm({ clock: createManualClock(), dial: () => net.dial });
    const api = createTrialApi(farm);
    const scan = () =>
      api.call("POST", "/api/equipment/scan-slaves", { body: { host: "10.0.0.9", endSlaveId: 30, batchSize: 50 } });
    const [first, second] = await Promise.all([scan(), scan()]);
    expect(first.json).toMatchObject({ totalFound: 30 });
    expect(second).toMatchObject({ status: 503, json: { code: "BUS_BUSY" } });
    expect(most).toBe(1);
    expect(new Set(units).size).toBe(30);
    await farm.stop();
  });
});
