import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createProgressLine } from "./progress-line.ts";

function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  return { stream, text: () => String(stream.read() ?? "") };
}

// @proves steading.command.progress
test("at a terminal the share of long work is written over itself and taken away at the end", () => {
  const { stream, text } = terminal();
  const line = createProgressLine(stream);
  line?.show({ progress: 3, total: 20 });
  line?.show({ progress: 4, message: "lamps" });
  line?.clear();
  expect(text()).toBe("\r\u001b[K3 of 20 \r\u001b[K4 lamps\r\u001b[K");
});

test("what a tool says cannot steer the terminal", () => {
  const { stream, text } = terminal();
  createProgressLine(stream)?.show({ progress: 1, message: "\u001b]0;owned\u0007\n\rword" });
  expect(text()).toBe("\r\u001b[K1 ]0;ownedword");
});

test("where nobody watches there is no line at all", () => {
  expect(createProgressLine(new PassThrough())).toBeUndefined();
});
