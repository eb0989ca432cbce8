import { expect, test } from "vitest";
import { fromHex } from "../testing/memory-link.ts";
import type { BusTelegram } from "../bus/bus-events.ts";
import { createCaptureWriter, createReplay } from "./capture.ts";
import { telegramJson, telegramLine } from "./telegram-line.ts";

const WIRE = fromHex("AA 10 08 B5 11 01 01 89 00 09 31 30 00 80 30 FF 00 01 FF 23 00 AA AA 31 15 A9 02 AA AA");
const AT = Date.UTC(2026, 2, 5, 16, 0, 44);

function recorded(): string[] {
  let text = "";
  const writer = createCaptureWriter((piece) => (text += piece));
  WIRE.forEach((symbol, n) => writer.symbol(symbol, AT + n * 4));
  writer.end();
  return text.split("\n");
}

test("a recording read again tells the same telegrams, at the same time", () => {
  const heard: BusTelegram[] = [];
  const replay = createReplay({ telegram: (each) => heard.push(each) });
  for (const line of recorded()) replay.line(line);
  expect(heard.map(telegramLine)).toEqual(["16:00:44.004  10 > 08 B5 11 01 | 31 30 00 80 30 FF 00 01 FF"]);
  expect(telegramJson(heard[0] ?? expect.fail("nothing was heard"))).toEqual({
    at: "2026-03-05T16:00:44.004Z",
    scope: "passive",
    kind: "target",
    source: 0x10,
    target: 0x08,
    primary: 0xb5,
    secondary: 0x11,
    data: "01",
    response: "3130008030ff0001ff",
  });
  expect(replay.summary).toMatchObject({ symbols: WIRE.length, syns: 5, telegrams: 1, broken: { escape: 1 } });
});

test("a file that is no recording, or a line that is none, is refused with its number", () => {
  const replay = () => createReplay({ telegram: () => {} });
  expect(() => replay().line("hello")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  const begun = replay();
  begun.line(recorded()[0] ?? "");
  expect(() => begun.line("1 aaa")).toThrow(expect.objectContaining({ message: expect.stringContaining("Line 2") }));
});
