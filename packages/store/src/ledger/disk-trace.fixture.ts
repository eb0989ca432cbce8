import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What a process did to its files, in order, as strace saw it. */
export type DiskEvent =
  | { readonly kind: "write"; readonly end: number; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly end: number; readonly file: string; readonly size: number }
  | { readonly kind: "sync"; readonly start: number; readonly end: number; readonly file: string }
  /** A line that it printed. */
  | { readonly kind: "said"; readonly start: number; readonly end: number; readonly line: string };

/** Arguments for strace that make what `readDiskTrace` reads: one file a thread, times, and all bytes in hexadecimal. */
export function traceArguments(prefix: string): string[] {
  const calls = "trace=pwrite64,ftruncate,fsync,fdatasync,write";
  return ["-ff", "-ttt", "-T", "-y", "-xx", "-s", "70000", "-qq", "-o", prefix, "-e", calls, "-e", "signal=none"];
}

const LINE =
  /^(\d+\.\d+) (\w+)\((\d+)<(.*?)>(?:, "((?:\\x[0-9a-f]{2})*)")?(?:, (\d+))?(?:, (\d+))?\) = (-?\d+).*<(\d+\.\d+)>$/;

export function readDiskTrace(dir: string, prefix: string): DiskEvent[] {
  const files = readdirSync(dir).filter((name) => name.startsWith(`${prefix}.`));
  const lines = files.flatMap((name) => readFileSync(join(dir, name), "utf8").split("\n"));
  return lines.flatMap(toEvent).sort((a, b) => a.end - b.end);
}

function toEvent(line: string): DiskEvent[] {
  const [, time = "", call = "", handle = "", path = "", hex = "", a = "", b = "", result = "", took = ""] =
    LINE.exec(line) ?? [];
  if (Number(result) < 0 || call === "") return [];
  const start = Number(time);
  const end = start + Number(took);
  const file = basename(plain(path));
  const bytes = Buffer.from(hex.replaceAll("\\x", ""), "hex");
  if (call === "pwrite64") return [{ kind: "write", end, file, at: Number(b), bytes }];
  if (call === "ftruncate") return [{ kind: "truncate", end, file, size: Number(a) }];
  if (call === "write")
    return handle === "1" ? [{ kind: "said", start, end, line: bytes.toString("utf8").trim() }] : [];
  return [{ kind: "sync", start, end, file }];
}

/** Some versions print the path in hexadecimal as well. */
function plain(path: string): string {
  return path.startsWith("\\x") ? Buffer.from(path.replaceAll("\\x", ""), "hex").toString("utf8") : path;
}

/**
 * What a file holds after the power went at `moment`: everything that was synced, and of the rest only what `survives`
 * says. A disk may keep any of it.
 */
export function afterPowerLoss(
  events: readonly DiskEvent[],
  file: string,
  moment: number,
  survives: () => boolean,
): Buffer {
  const syncs = events.filter((event) => event.kind === "sync" && event.file === file && event.end <= moment);
  const synced = Math.max(0, ...syncs.map((event) => (event.kind === "sync" ? event.start : 0)));
  let image = Buffer.alloc(0);
  for (const event of events) {
    if (event.end > moment || (event.kind !== "write" && event.kind !== "truncate") || event.file !== file) continue;
    if (event.end > synced && !survives()) continue;
    const size = event.kind === "write" ? Math.max(image.length, event.at + event.bytes.length) : event.size;
    const next = Buffer.alloc(size);
    image.copy(next, 0, 0, Math.min(size, image.length));
    if (event.kind === "write") event.bytes.copy(next, event.at);
    image = next;
  }
  return image;
}
