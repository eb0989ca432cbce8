// @proves subjects.figure.write-sequential subjects.figure.write-random
// @proves subjects.figure.listener-sequential subjects.figure.listener-random
// One listener for each of up to a million properties: what does a write cost, beside other ways of being told?
// What the change stream adds is measured by subjects-stream.
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const SIZES = [10_000, 100_000, 1_000_000];
const NAMES = ["subjects", "object + Map", "alien-signals", "preact signals", "mobx", "subjects, nobody listens"];
/** Nanoseconds per write at a million, by the contract. */
const AIMS: Record<string, { readonly sequential: number; readonly random: number }> = {
  subjects: { sequential: 100, random: 500 },
  "subjects, nobody listens": { sequential: 50, random: 400 },
};
const PEER = fileURLToPath(new URL("subjects-updates-peer.ts", import.meta.url));

interface Row {
  readonly name: string;
  readonly count: number;
  /** Nanoseconds per write, best of five rounds. */
  readonly sequential: number;
  readonly random: number;
}

function measure(name: string, count: number): Row {
  const node = [
    "--max-old-space-size=8192",
    "--conditions=@steading/source",
    "--import",
    "tsx",
    PEER,
    name,
    String(count),
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, node, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Row; // written by the peer file beside this one
}

console.log(
  `node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}; ns per write with one listener each, best of 5`,
);
const rows = NAMES.flatMap((name) => SIZES.map((count) => measure(name, count)));
const cell = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(1)).padStart(9);
const head = SIZES.map((size) => `${size / 1000}k`.padStart(9)).join("");
for (const order of ["sequential", "random"] as const) {
  console.log(`\n${order.padEnd(26)}${head}   growth ×100   others / subjects at 1 M`);
  for (const name of NAMES) {
    const of = (count: number): number | undefined =>
      rows.find((row) => row.name === name && row.count === count)?.[order];
    const own = rows.find((row) => row.name === "subjects" && row.count === SIZES.at(-1))?.[order] ?? 1;
    const [first = 1, , last = 1] = SIZES.map(of);
    console.log(
      `${name.padEnd(26)}${SIZES.map((size) => cell(of(size))).join("")}   ×${(last / first).toFixed(2).padEnd(11)} ${(last / own).toFixed(2).padEnd(8)}${AIMS[name] === undefined ? "" : `aim ${AIMS[name][order]}`}`,
    );
  }
}
