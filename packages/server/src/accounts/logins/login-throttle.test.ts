import { createManualClock, minutes, seconds } from "@steading/kernel";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createLoginThrottle } from "./login-throttle.ts";

function setUp(capacity = 10_000) {
  const clock = createManualClock();
  const throttle = createLoginThrottle({ clock, capacity });
  /** How long this try has to wait; zero: it was made, and failed. */
  const fail = (name: string, address: string): number => {
    const entered = throttle.enter({ name, address });
    return entered.kind === "wait" ? entered.ms : 0;
  };
  const succeed = (name: string, address: string): boolean => {
    const entered = throttle.enter({ name, address });
    if (entered.kind === "try") entered.succeeded();
    return entered.kind === "try";
  };
  return { clock, throttle, fail, succeed };
}

test("five wrong passwords are free, then the wait doubles up to a quarter of an hour", async () => {
  const { clock, fail } = setUp();
  for (let i = 0; i < 5; i++) expect(fail("anna", "192.0.2.1")).toBe(0);
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const wait = fail("anna", "192.0.2.1");
    waits.push(wait / 1_000);
    await clock.advance(seconds(wait / 1_000));
    expect(fail("anna", "192.0.2.1")).toBe(0);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
});

test("tries at the same moment count before any of them has failed", () => {
  const { throttle } = setUp();
  const tried = Array.from({ length: 1_000 }, () => throttle.enter({ name: "anna", address: "192.0.2.1" }));
  expect(tried.filter(({ kind }) => kind === "try")).toHaveLength(5);
});

test("waiting does not count against anybody: asking again and again leaves the wait as it is", () => {
  const { fail } = setUp();
  for (let i = 0; i < 5; i++) fail("anna", "192.0.2.1");
  for (let i = 0; i < 1_000; i++) expect(fail("anna", "192.0.2.1")).toBe(30_000);
});

test("a success clears the failures of that person there", () => {
  const { fail, succeed } = setUp();
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 4; i++) expect(fail("anna", "192.0.2.1")).toBe(0);
    expect(succeed("anna", "192.0.2.1")).toBe(true);
  }
});

test("an address that tries many names is slowed down, and one good account of its own does not help it", () => {
  const { fail, succeed } = setUp();
  let tries = 0;
  while (fail(`victim${tries}`, "192.0.2.1") === 0) {
    succeed("mallory", "192.0.2.1");
    tries++;
  }
  expect(tries).toBe(30);
});

test("whoever guesses at others does not keep those out who log in from the same address every day", () => {
  const { fail, succeed } = setUp();
  succeed("anna", "192.0.2.1");
  for (let i = 0; i < 100; i++) fail(`victim${i}`, "192.0.2.1");
  expect(fail("otto", "192.0.2.1")).toBeGreaterThan(0);
  expect(succeed("anna", "192.0.2.1")).toBe(true);
});

test("an IPv6 network counts as one address", () => {
  const { fail } = setUp();
  let tries = 0;
  while (fail(`victim${tries}`, `2001:db8:1:2::${tries.toString(16)}`) === 0) tries++;
  expect(tries).toBe(30);
});

test("a name guessed from everywhere is slowed down by at most a minute, and not at all where its owner is known", async () => {
  const { clock, fail, succeed } = setUp();
  succeed("anna", "192.0.2.1");
  let i = 0;
  const elsewhere = () => `198.51.${Math.floor(i / 250)}.${i++ % 250}`;
  for (let n = 0; n < 500; n++) {
    const wait = fail("anna", elsewhere());
    expect(wait).toBeLessThanOrEqual(60_000);
    if (wait > 0) await clock.advance(seconds(wait / 1_000));
  }
  expect(fail("anna", elsewhere())).toBeGreaterThan(0);
  expect(succeed("anna", "192.0.2.1")).toBe(true);
  await clock.advance(minutes(1));
  expect(succeed("anna", elsewhere())).toBe(true);
});

test("after a quiet quarter of an hour everything is forgotten", async () => {
  const { clock, fail } = setUp();
  for (let i = 0; i < 5; i++) fail("anna", "192.0.2.1");
  await clock.advance(seconds(30));
  await clock.advance(minutes(15));
  for (let i = 0; i < 5; i++) expect(fail("anna", "192.0.2.1")).toBe(0);
});

test("twenty thousand strangers fill no more than the tables hold", () => {
  const { throttle, fail } = setUp(1_000);
  for (let i = 0; i < 20_000; i++) fail(`name ${i}`, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect(throttle.size).toBeLessThanOrEqual(4_000);
  expect(throttle.evicted).toBeGreaterThan(0);
});

test("a try that was withdrawn leaves no trace", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("fail", "withdraw"), { maxLength: 30 }), (steps) => {
      const { throttle } = setUp();
      let failed = 0;
      for (const step of steps) {
        const entered = throttle.enter({ name: "anna", address: "192.0.2.1" });
        expect(entered.kind).toBe(failed < 5 ? "try" : "wait");
        if (entered.kind === "wait") continue;
        if (step === "withdraw") entered.withdrawn();
        else failed++;
      }
    }),
  );
});
