import { createLamp, type Lamp } from "@steading/sim";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HubEndedEarly, startHub, type HubProcess } from "../support/hub-process.ts";
import { writeLampSettings } from "../support/lamp-settings.ts";
import { connect2026, type Connection } from "../support/mcp-clients.ts";
import { chooseSeed, seededRandom } from "../support/seeded-random.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import type { ToolCaller } from "../support/tool-caller.ts";
import { createClientJournal } from "./client-journal.ts";
import { startKiller, type HubEvent, type Killer } from "./killer-process.ts";
import { createLampWriter, isHangUp, type LampWriter } from "./lamp-writer.ts";
import { verifyInFreshProcess } from "./verifier-process.ts";

const ROUNDS = Number(process.env["STEADING_KILL_ROUNDS"] ?? 100);
const SEED = chooseSeed();
/** Several lamps are written to at once, so that the hub dies with several effects in different stages. */
const LAMPS = ["hall", "yard", "shed"] as const;
const SLOWEST_ANSWER_MS = 30;
/**
 * Lamps answer always, a busy machine late: a command that was given up on too early would reach the wire in the time of
 * the next key, and be counted as that one's.
 */
const PATIENCE_MS = 4_000;

let folder: TemporaryFolder;
let lamps: { readonly name: string; readonly lamp: Lamp; readonly writer: LampWriter }[];
let killer: Killer;
let settings: { readonly data: string; readonly config: string };
/** The process id of the hub that lives; the killer is told what happens to it. */
let pid: number | undefined;
/** The last hub, which nobody hunts. */
let survivor: number | undefined;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const journal = createClientJournal({ file: folder.at("journal.jsonl") });
  lamps = LAMPS.map((name) => {
    const wire = {
      debug: (_what: string, line?: Readonly<Record<string, unknown>>) => {
        if (line?.["request"] === "switch") tellKiller("on-the-wire");
      },
    };
    const lamp = createLamp({ wireLogLimit: 1_000_000, log: wire });
    return { name, lamp, writer: createLampWriter({ name, lamp, journal, onAnswer: () => tellKiller("answered") }) };
  });
  settings = { data: folder.at("data"), config: folder.at("steading.config.yaml") };
  const patient = (await addresses()).map((lamp) => ({ ...lamp, timeoutMs: PATIENCE_MS }));
  await writeLampSettings(settings.config, patient);
  killer = startKiller({ seed: SEED });
});
afterAll(async () => {
  // A test that failed half way leaves one behind.
  for (const left of [pid, survivor]) if (left !== undefined) process.kill(left, "SIGKILL");
  await killer.end();
  for (const { lamp } of lamps) await lamp.stop();
  await folder.remove();
});

function tellKiller(at: HubEvent): void {
  if (pid !== undefined) killer.tell(pid, at);
}

async function addresses(): Promise<{ name: string; host: string; port: number }[]> {
  return Promise.all(lamps.map(async ({ name, lamp }) => ({ name, ...(await lamp.start()) })));
}

// @proves kernel.door.reservation-before-send kernel.door.crash-observes-open-reservations kernel.door.crash-never-resends
test(
  `a hub killed ${ROUNDS} times loses nothing it answered and sends nothing twice`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async () => {
    console.info(`kill test: seed ${SEED}, ${ROUNDS} rounds; repeat with STEADING_SEED=${SEED}`);
    const slowness = seededRandom(SEED + 1);
    for (let round = 1; round <= ROUNDS; round += 1) {
      // A slow lamp stretches the time between command, acknowledgement and read-back, where a kill hurts most.
      for (const { lamp } of lamps) lamp.knobs.slow = slowness() < 0.5 ? 0 : Math.round(slowness() * SLOWEST_ANSWER_MS);
      await liveAndDie();
    }

    for (const { lamp } of lamps) lamp.knobs.reset();
    await finishInPeace();
    await killer.end();
    const kills = Object.fromEntries(killer.kills);
    expect(Object.values(kills).reduce((sum, times) => sum + times, 0)).toBe(ROUNDS);
    expect(kills).not.toHaveProperty("too late");
    expect(lamps.flatMap(({ writer }) => writer.complaints)).toEqual([]);

    const found = await verifyInFreshProcess({
      ...settings,
      journal: folder.at("journal.jsonl"),
      lamps: await addresses(),
    });
    console.info(`kill test: killed ${JSON.stringify(kills)}, found ${JSON.stringify(found.counts)}`);
    expect(found.complaints).toEqual([]);
    expect(found.counts.answered).toBeGreaterThan(ROUNDS);
  },
);

/** One hub's life: it starts, is written to, and is killed. */
async function liveAndDie(): Promise<void> {
  try {
    const hub = await startHub({ ...settings, onSpawn: hunt });
    tellKiller("ready");
    await Promise.all(lamps.map(({ writer }) => writeWith(hub, writer)));
    expect(await hub.ended).toEqual({ code: null, signal: "SIGKILL" });
  } catch (error) {
    if (!(error instanceof HubEndedEarly) || error.ended.signal !== "SIGKILL") throw error;
  } finally {
    pid = undefined;
  }
  await nothingUnderWay();
}

function hunt(spawned: number): void {
  pid = spawned;
  tellKiller("spawned");
}

async function writeWith(hub: HubProcess, writer: LampWriter): Promise<void> {
  let caller: ToolCaller | undefined;
  try {
    caller = await connect2026(connectionTo(hub), { pin: "2026-07-28" });
    await writer.writeUntilDeath(caller);
  } catch (error) {
    // A client does not always notice that the hub died: it then waits for the answer until its own time is up.
    if (!isHangUp(error) && !(await isGone(hub))) throw error;
  } finally {
    await caller?.close();
  }
}

function isGone(hub: HubProcess): Promise<boolean> {
  const alive = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([hub.ended.then(() => true), alive]);
}

/** What a dead hub had already handed to the network has arrived once its connections are seen to close. */
async function nothingUnderWay(): Promise<void> {
  await Promise.all(lamps.map(({ lamp }) => lamp.waitFor(({ connections }) => connections === 0)));
}

async function finishInPeace(): Promise<void> {
  const hub = await startHub({ ...settings, onSpawn: (spawned) => (survivor = spawned) });
  const caller = await connect2026(connectionTo(hub), { pin: "2026-07-28" });
  await Promise.all(lamps.map(({ writer }) => writer.finish(caller)));
  await caller.close();
  const ended = await hub.stop();
  survivor = undefined;
  expect(ended).toEqual({ code: 0, signal: null });
}

function connectionTo(hub: HubProcess): Connection {
  return { over: "http", mcp: hub.mcp, token: hub.token };
}
