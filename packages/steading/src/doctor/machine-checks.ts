import { createServer } from "node:net";
import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ListenerSettings } from "../settings/listener-settings.ts";
import { bad, good, odd, type Finding } from "./finding.ts";

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor, needMinor] = OLDEST_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return good("node", `Node ${version}.`);
  return bad("node", `Node ${version} is too old.`, `Install Node ${needMajor}.${needMinor} or newer.`);
}

/** Before this the program did not exist: a clock that says so has lost its battery. */
const EARLIEST = Date.parse("2026-01-01T00:00:00Z");
/** Time zones and slow clocks stay below it. */
const AHEAD_MS = 86_400_000;

export function checkClock(now: number, data: string): Finding {
  const says = new Date(now).toISOString();
  const hint = "Set the clock, best by NTP; expiry, schedules and records depend on it.";
  if (now < EARLIEST) return bad("clock", `The clock says ${says}, which cannot be.`, hint);
  const state = join(data, "state.db");
  if (existsSync(state) && statSync(state).mtimeMs > now + AHEAD_MS)
    return bad("clock", `The clock says ${says}, but the state was written after that.`, hint);
  return good("clock", `The clock says ${says}.`);
}

const LOW_BYTES = 512 * 1_048_576;

export function checkDisk(data: string): Finding {
  let place = data;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const says = `${Math.floor(free / 1_048_576)} MiB are free.`;
  return free < LOW_BYTES
    ? odd("disk", says, "Make room: a full disk refuses everything but off and stop.")
    : good("disk", says);
}

/** Nobody else must be listening where the hub wants to. */
export function checkPort({ host, port }: Pick<ListenerSettings, "host" | "port">, setting: string): Promise<Finding> {
  const check = `port ${port}`;
  if (port === 0) return Promise.resolve(good(check, "A free one is taken at the start."));
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "EADDRINUSE"
          ? bad(check, `Another program listens on ${host}:${port}.`, `Stop it, or set ${setting}.port.`)
          : bad(check, `Cannot listen on ${host}:${port}: ${error.code ?? error.message}.`, `Check ${setting}.`),
      ),
    );
    probe.listen({ host, port }, () => probe.close(() => resolve(good(check, `${host}:${port} is free.`))));
  });
}
