// @proves subjects.figure.memory-per-subject
// What a subject of ten properties costs in the heap, attached and with everything that finds it again.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const SIZES = [1_000, 10_000, 100_000];
const NAMES = [
  "subjects",
  "subjects, a listener each",
  "subjects, owned by a source",
  "plain object in a Map",
  "alien-signals",
  "mobx",
];
const PEER = fileURLToPath(new URL("subjects-memory-peer.ts", import.meta.url));

interface Row {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

function measure(name: string, count: number): Row {
  const node = [
    "--expose-gc",
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
  `node ${process.version}; bytes retained per subject of 10 properties (7 numbers with decimals, 2 texts, 1 switch); aim ≤ 600`,
);
const rows = NAMES.flatMap((name) => SIZES.map((count) => measure(name, count)));
console.log(
  `\n${"".padEnd(30)}${SIZES.map((size) => String(size).padStart(9)).join("")}   growth ×100   of the plain object`,
);
const floor = rows.find((row) => row.name === "plain object in a Map" && row.count === SIZES.at(-1))?.bytes ?? 1;
for (const name of NAMES) {
  const own = rows.filter((row) => row.name === name).map(({ bytes }) => bytes);
  const [first = 1, , last = 1] = own;
  console.log(
    `${name.padEnd(30)}${own.map((bytes) => bytes.toFixed(0).padStart(9)).join("")}   ×${(last / first).toFixed(2).padEnd(11)} ×${(last / floor).toFixed(2)}`,
  );
}
