/**
 * The killer: a process of its own that ends hubs with SIGKILL. It is told what a hub goes through, as lines of JSON on its
 * input, draws from a seed when to strike, and prints a line for every kill.
 */
import { createInterface } from "node:readline";
import { seededRandom } from "../support/seeded-random.ts";
import type { HubEvent } from "./killer-process.ts";

/** While the hub starts, at any time while it serves, at a command on a wire, or at an answer: where it hurts most. */
const MOMENTS = ["starting", "serving", "serving", "on-the-wire", "answered"] as const;
const STARTING_MS = 900;
const SERVING_MS = 400;
/** The command or answer that the hub does not survive is one of the first so many. */
const FIRST_EVENTS = 8;
/** A hub that never gets as far as the moment drawn for it. */
const LATEST_MS = 3_000;

interface Aim {
  readonly moment: (typeof MOMENTS)[number];
  readonly afterReadyMs: number;
  eventsLeft: number;
}

const draw = seededRandom(Number(process.argv[2]));
const aims = new Map<number, Aim>();

for await (const line of createInterface({ input: process.stdin })) {
  const { pid, at } = JSON.parse(line) as { pid: number; at: HubEvent }; // written by killer-process.ts
  if (at === "spawned") takeAim(pid);
  else follow(pid, at);
}

function takeAim(pid: number): void {
  // Both are drawn for every hub, so that the sequence does not depend on how fast hubs start.
  const moment = MOMENTS[Math.floor(draw() * MOMENTS.length)] ?? "serving";
  const within = draw();
  const afterReadyMs = moment === "serving" ? within * SERVING_MS : LATEST_MS;
  aims.set(pid, { moment, afterReadyMs, eventsLeft: 1 + Math.floor(within * FIRST_EVENTS) });
  if (moment === "starting") setTimeout(() => kill(pid), within * STARTING_MS).unref();
}

function follow(pid: number, at: HubEvent): void {
  const aim = aims.get(pid);
  if (!aim || aim.moment === "starting") return;
  if (at === "ready") setTimeout(() => kill(pid), aim.afterReadyMs).unref();
  if (at !== aim.moment) return;
  aim.eventsLeft -= 1;
  if (aim.eventsLeft === 0) kill(pid);
}

/** Once a hub: its number may belong to another process afterwards. */
function kill(pid: number): void {
  const aim = aims.get(pid);
  if (!aim) return;
  aims.delete(pid);
  try {
    process.kill(pid, "SIGKILL");
    process.stdout.write(`${aim.moment}\n`);
  } catch {
    process.stdout.write("too late\n"); // it ended by itself; whoever waits for it sees how
  }
}
