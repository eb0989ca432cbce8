import { createManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function written(isTTY: boolean, level: "debug" | "info" = "info") {
  const lines: string[] = [];
  const clock = createManualClock(Date.parse("2026-03-01T05:06:07.008Z"));
  return { lines, log: createLog({ level, clock, sink: { isTTY, write: (line) => lines.push(line) } }) };
}

test("for programs each line is one JSON object with time, level, sentence and fields", () => {
  const { lines, log } = written(false);
  log.info("A lamp answers.", { lamp: "hall" });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: 30,
    msg: "A lamp answers.",
    lamp: "hall",
    time: "2026-03-01T05:06:07.008Z",
  });
});

test("for a terminal each line can be read, without colour codes", () => {
  const { lines, log } = written(true);
  log.warn("A lamp does not answer.", { lamp: "hall" });
  expect(lines[0]).toMatch(/^05:06:07 WARN {2}A lamp does not answer\. lamp="hall"\n$/);
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

test("secrets in fields and in what libraries throw are left out", () => {
  const { lines, log } = written(false);
  const secret = "s3cret-s3cret-s3cret";
  log.warn("A call failed.", { url: `https://example.org/?token=${secret}`, password: secret });
  const thrown = Object.assign(new Error(`Unauthorized: Bearer ${secret}`, { cause: new Error("inside") }), {
    code: "E_AUTH",
    request: { headers: { authorization: secret } },
  });
  log.error("A library failed.", thrown);
  expect(lines.join("")).not.toContain(secret);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ err: { code: "E_AUTH", cause: { message: "inside" } } });
});
