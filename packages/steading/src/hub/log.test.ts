import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function written(isTTY: boolean, level: "debug" | "info" = "info") {
  const lines: string[] = [];
  return { lines, log: createLog({ level, sink: { isTTY, write: (line) => lines.push(line) } }) };
}

test("for programs each line is one JSON object with time, level, sentence and fields", () => {
  const { lines, log } = written(false);
  log.info("A lamp answers.", { lamp: "hall" });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: 30,
    msg: "A lamp answers.",
    lamp: "hall",
    time: expect.stringMatching(/Z$/),
  });
});

test("for a terminal each line can be read, without colour codes", () => {
  const { lines, log } = written(true);
  log.warn("A lamp does not answer.", { lamp: "hall" });
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d WARN {2}A lamp does not answer\. lamp="hall"\n$/);
  expect(lines[0]).not.toContain("\u001b");
});

test("an error keeps its cause for the log alone", () => {
  const { lines, log } = written(false);
  log.error("It broke.", new Error("inside"), { part: "lamp" });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: "It broke.", part: "lamp", err: { message: "inside" } });
  const terminal = written(true);
  terminal.log.error("It broke.", new Error("inside"));
  expect(terminal.lines[0]).toContain("Error: inside");
});

test("what is below the level is not written", () => {
  const { lines, log } = written(false);
  log.debug("Details.");
  expect(lines).toEqual([]);
});
