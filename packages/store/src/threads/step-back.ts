import { setPriority } from "node:os";

/** Far enough behind that the scheduler prefers whoever is waited for, near enough to get on with it. */
const BEHIND = 10;

/**
 * Called by a thread whose work is long and can wait: on a busy machine the threads that answer people go first. On Linux
 * a priority belongs to the thread that sets it; elsewhere it would slow the whole process down, so it stays as it is.
 */
export function stepBack(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(BEHIND);
  } catch {
    // A sandbox may forbid it; the work is the same, only less polite.
  }
}
