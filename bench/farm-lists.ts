// What one get_equipment_list costs, with 50 and with 5 000 devices: the product's dispatcher, rows and text, without HTTP.
// The known peer takes 1.8 ms CPU (REST) and 5.6 ms (MCP) at 50 rows.
import { createTrialFarm } from "@steading/farm/testing";
import type { Caller } from "@steading/kernel";

const viewer: Caller = { principal: "bench", role: "viewer", transport: "internal", correlation: "bench" };
const MAPPINGS = ["temperature", "humidity", "ec"].map((name, register) => ({ name, register, unit: "x" }));

async function measure(devices: number, detail: "full" | "summary", calls: number): Promise<string> {
  const farm = createTrialFarm();
  for (let i = 0; i < devices; i += 1) {
    const equipment = await farm.core.book.create(
      { name: `Probe ${i}`, protocol: "other", register_mappings: MAPPINGS },
      "bench",
    );
    const at = Date.now();
    await farm.core.readings.posted(
      equipment,
      MAPPINGS.map(({ name }) => ({ name, value: i, unit: "x", at })),
    );
  }
  const call = () => farm.dispatcher.call({ tool: "get_equipment_list", arguments: { detail }, caller: viewer });
  let bytes = 0;
  for (let i = 0; i < Math.max(3, calls / 10); i += 1) {
    const result = await call();
    if (result.kind === "answer") bytes = result.text.length;
  }
  const times: number[] = [];
  let least = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i += 1) {
      const began = performance.now();
      await call();
      times.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000 / calls);
  }
  await farm.stop();
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const size = `${(bytes / devices).toFixed(0)} bytes a row`;
  return `${String(devices).padStart(5)} rows ${detail.padEnd(8)} CPU ${least.toFixed(3).padStart(8)} ms a call   p99 ${p99.toFixed(2).padStart(8)} ms   ${size}`;
}

console.log("get_equipment_list, three metrics a device; the least of three rounds");
console.log(await measure(50, "full", 400));
console.log(await measure(50, "summary", 400));
console.log(await measure(500, "full", 60));
console.log(await measure(5_000, "full", 10));
console.log(await measure(5_000, "summary", 10));
