/**
 * The killer: a process of its own that ends hubs with SIGKILL at times drawn from a seed. It is told of a hub twice,
 * when the hub was spawned and when it is ready, as lines of JSON on its input, and prints a line for every kill.
 */
import { createInterface } from "node:readline";
import { seededRandom } from "../support/seeded-random.ts";

/** One hub in this many is killed while it starts, the others while they serve. */
const KILLED_WHILE_STARTING = 5;
const STARTING_MS = 900;
const SERVING_MS = 400;

const draw = seededRandom(Number(process.argv[2]));
const aimed = new Map<number, { readonly afterReadyMs: number }>();

for await (const line of createInterface({ input: process.stdin })) {
  const { pid, at } = JSON.parse(line) as { pid: number; at: "spawned" | "ready" }; // written by the test beside us
  if (at === "spawned") {
    // Both are drawn for every hub, so that the sequence does not depend on how fast hubs start.
    const whileStarting = draw() * KILLED_WHILE_STARTING < 1;
    const moment = draw();
    if (whileStarting) setTimeout(() => kill(pid), moment * STARTING_MS);
    else aimed.set(pid, { afterReadyMs: moment * SERVING_MS });
  } else {
    const aim = aimed.get(pid);
    aimed.delete(pid);
    if (aim) setTimeout(() => kill(pid), aim.afterReadyMs);
  }
}

function kill(pid: number): void {
  process.kill(pid, "SIGKILL");
  process.stdout.write(`${JSON.stringify({ killed: pid })}\n`);
}
