import { createManualClock, minutes, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createAskedBook } from "./asked-book.ts";

function make(heard: readonly number[] = []) {
  const clock = createManualClock();
  return { clock, book: createAskedBook({ clock, answers: (target) => heard.includes(target) }) };
}

test("whoever was never asked is due, whoever was found is not again", async () => {
  const { clock, book } = make();
  expect(book.due(0x15)).toBe(true);
  book.found(0x15);
  await clock.advance(minutes(100_000));
  expect(book.due(0x15)).toBe(false);
});

test("after an outage whoever was found is due again", () => {
  const { book } = make();
  book.found(0x15);
  book.silent(0x50);
  book.doubtFound();
  expect([0x15, 0x50].map(book.due)).toEqual([true, false]);
});

test("an address that was silent is due again after 10 minutes, then after twice as long each time, at most a day", async () => {
  const { clock, book } = make();
  for (const wait of [10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]) {
    book.silent(0x50);
    await clock.advance(minutes(wait - 1));
    expect(book.due(0x50), `${wait}`).toBe(false);
    await clock.advance(minutes(1));
    expect(book.due(0x50), `${wait}`).toBe(true);
  }
});

test("an address that answers others is due again after a minute", async () => {
  const { clock, book } = make([0x08]);
  book.silent(0x08);
  await clock.advance(seconds(59));
  expect(book.due(0x08)).toBe(false);
  await clock.advance(seconds(1));
  expect(book.due(0x08)).toBe(true);
});

test("a silent address that is heard later need not wait for its turn", async () => {
  const heard: number[] = [];
  const { clock, book } = make(heard);
  book.silent(0x08);
  await clock.advance(minutes(2));
  expect(book.due(0x08)).toBe(false);
  heard.push(0x08);
  expect(book.due(0x08)).toBe(true);
});

test("after an outage a device that fell silent is due at once, an address nobody was found at is not", () => {
  const clock = createManualClock();
  const book = createAskedBook({ clock, answers: () => true });
  book.found(0x35);
  book.doubtFound();
  book.silent(0x35);
  book.silent(0x50);
  expect(book.due(0x35)).toBe(false);
  book.doubtFound();
  expect([book.due(0x35), book.due(0x50)]).toEqual([true, false]);
});
