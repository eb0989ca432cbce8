// How long a relay command takes while a neighbour on the same gateway is dead, and what that costs the living ones.
// The product's own wiring over real sockets: farm, door and ledger in memory, the virtual farm at the other end.
// The floor, measured in the same run: the same command with every unit alive.
import { parseArgs } from "node:util";
import { createTrialFarm, shedRelays, soilProbe } from "@steading/farm/testing";
import { createVirtualFarm } from "@steading/sim";

const { values: flags } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
/** From the moment on at which the dead unit is asked for the first time: the first tries cost the most. */
const WINDOW_MS = Number(flags.seconds) * 1_000;
const POLL_MS = 200;
const TIMEOUT_MS = 1_000;
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

async function run(dead: boolean, gatewayWaitsMs = 200) {
  const sim = createVirtualFarm();
  const addresses = await sim.start();
  sim.gateway("shed", { waitMs: gatewayWaitsMs });
  if (dead) sim.unit("shed", 3, { dead: true });
  const farm = createTrialFarm({ timeoutMs: TIMEOUT_MS });
  await farm.start();
  const board = await farm.core.book.create({ ...shedRelays(addresses), polling_interval_ms: POLL_MS }, "bench");
  const alive = await farm.core.book.create({ ...soilProbe(addresses, 2), polling_interval_ms: POLL_MS }, "bench");
  await farm.core.book.create({ ...soilProbe(addresses, 3), polling_interval_ms: POLL_MS }, "bench");
  let polls = 0;
  farm.core.events.on((event) => {
    if (event.kind === "reading" && event.id === alive.id) polls += 1;
  });
  const began = performance.now();
  const times: number[] = [];
  for (let i = 0; performance.now() - began < WINDOW_MS; i += 1) {
    const asked = performance.now();
    const request = { equipmentId: board.id, channel: 4, state: i % 2 === 0, source: "manual" } as const;
    await farm.core.relays.switch(request, farm.perform);
    times.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const wanted = (performance.now() - began) / POLL_MS;
  await farm.stop();
  await sim.stop();
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: at(sorted, 0.5), p99: at(sorted, 0.99), most: sorted.at(-1) ?? 0, rate: polls / wanted };
}

const row = (name: string, { p50, p99, most, rate }: Awaited<ReturnType<typeof run>>): string =>
  `${name.padEnd(28)} p50 ${p50.toFixed(0).padStart(5)} ms   p99 ${p99.toFixed(0).padStart(5)} ms   most ${most.toFixed(0).padStart(5)} ms   neighbour's polls ${(rate * 100).toFixed(0)} %`;

console.log(
  `${flags.seconds} s of commands with write and two read-backs, one every 150 ms; polls every ${POLL_MS} ms; time-out ${TIMEOUT_MS} ms`,
);
const alive = await run(false);
console.log(row("every unit alive", alive));
const withDead = await run(true);
console.log(row("one unit dead", withDead));
// As long as we do: then every request behind it waits twice.
console.log(row("and a gateway that waits 1 s", await run(true, TIMEOUT_MS)));
console.log(`the reference waited 15 600 ms behind a dead unit: ${(15_600 / withDead.p99).toFixed(0)} times as long`);
