import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHouse } from "@steading/sim";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runMain } from "../testing/run-main.ts";

let dir: string;
const house = createHouse({ knobs: { traffic: true } });
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "steading-ebus-"))));
afterEach(async () => {
  await house.stop();
  rmSync(dir, { recursive: true, force: true });
});

test("what was dumped is the same when it is replayed, and nothing was sent for it", async () => {
  const { enh } = await house.start({ enh: 0 });
  const file = join(dir, "bus.txt");
  const dumped = runMain(["ebus", "dump", `enh://127.0.0.1:${enh?.port}`, "--telegrams", "2", "--out", file, "--json"]);
  expect(await dumped.code).toBe(0);
  expect(house.exchanges.filter(({ origin }) => origin.startsWith("enh"))).toEqual([]);
  const replayed = runMain(["ebus", "replay", file, "--json"]);
  expect(await replayed.code).toBe(0);
  const telegrams = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { at?: string; data?: string; summary?: { telegrams: number } })
      .filter(({ summary }) => summary === undefined)
      .map(({ at: _, ...rest }) => rest);
  expect(telegrams(dumped.out())).toHaveLength(2);
  expect(telegrams(replayed.out())).toEqual(telegrams(dumped.out()));
  expect(readFileSync(file, "utf8")).toMatch(/^# steading ebus capture 1\n\d+ [0-9a-f]+\n/);
});

test("a plain adapter that is addressed as enhanced is named, and not one byte reaches the bus", async () => {
  const { plain } = await house.start({ plain: 0 });
  const dumped = runMain(["ebus", "dump", `enh://127.0.0.1:${plain?.port}`, "--seconds", "20"]);
  expect(await dumped.code).toBe(2);
  expect(dumped.err()).toContain("speaks the plain protocol");
  expect(house.exchanges.filter(({ origin }) => origin.startsWith("plain"))).toEqual([]);
});

test("a wrong address, a file that is no recording and one that exists are wrong usage", async () => {
  const text = join(dir, "notes.txt");
  writeFileSync(text, "hello\n");
  for (const [argv, says] of [
    [["ebus", "dump", "192.168.1.5"], "no adapter address"],
    [["ebus", "dump", "ebusd-tcp://localhost"], "shows no telegrams"],
    [["ebus", "dump", "enh://127.0.0.1:9", "--seconds", "0"], "whole number"],
    [["ebus", "dump", "enh://127.0.0.1:9", "--out", text], "already"],
    [["ebus", "replay", text], "no recording"],
    [["ebus", "replay", join(dir, "missing")], "Cannot read"],
  ] as const) {
    const { code, err } = runMain([...argv]);
    expect(await code, argv.join(" ")).toBe(2);
    expect(err()).toContain(says);
  }
});

test("an adapter that cannot be reached ends with 5, and says so", async () => {
  const { code, err } = runMain(["ebus", "dump", "tcp-plain://127.0.0.1:1", "--json"]);
  expect(await code).toBe(5);
  expect(JSON.parse(err())).toMatchObject({ code: "ADAPTER_UNREACHABLE" });
});
