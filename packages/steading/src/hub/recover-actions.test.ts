import {
  createApprovals,
  createDoor,
  createJournal,
  createManualClock,
  createMemoryLedger,
  createReception,
  hours,
  millis,
  seconds,
  type Effect,
  type Log,
} from "@steading/kernel";
import { expect, test } from "vitest";
import { recoverActions } from "./recover-actions.ts";

/** A hub that died with one action open for each target, and its successor on the same disk. */
async function afterCrash(targets: readonly string[]) {
  const clock = createManualClock();
  const disk = createMemoryLedger({ clock });
  const lines: string[] = [];
  const log: Log = {
    debug() {},
    info: (message) => void lines.push(message),
    warn: (message) => void lines.push(message),
    error: (message) => void lines.push(message),
  };
  const reception = createReception(clock);
  let on = false;
  function start() {
    const journal = createJournal({ ledger: disk, clock, log });
    const approvals = createApprovals({ ledger: disk, journal, clock });
    const door = createDoor({ ledger: disk, journal, clock, reception, approvals, log, access: () => "write" });
    door.registerObserver("relay", () => ({
      read: async () => reception.received(on),
      satisfies: (value) => value === true,
    }));
    return door;
  }
  const effect = (target: string): Effect => ({
    tool: "switch",
    caller: { principal: "anna", role: "operator", transport: "http", correlation: "c" },
    minimumRole: "operator",
    arguments: { target },
    target,
    toward: "live",
    confirm: "plain",
    summary: "Switch it on.",
    observer: "relay",
    observeWith: {},
    sendDeadline: hours(1), // the dead say nothing more within this test
    drive: { send: (wire) => (wire.firstByte(), new Promise(() => {})) },
  });
  const dead = start();
  for (const target of targets) void dead.perform(effect(target));
  await clock.advance(millis(1));
  return { clock, log, lines, door: start(), answer: () => (on = true) };
}

test("the start waits ten seconds at most, and the looking goes on behind it", async () => {
  const targets = Array.from({ length: 40 }, (_, i) => `t${i}`);
  const { clock, log, lines, door, answer } = await afterCrash(targets);
  const { signal } = new AbortController();
  const starting = recoverActions({ door, clock, log, signal });
  await clock.advance(seconds(9));
  expect(door.actions().map(({ receipt }) => receipt.stage)).toEqual(targets.map(() => "unknown"));
  answer();
  await clock.advance(seconds(1));
  expect(await starting).toBeLessThan(40);
  await clock.advance(seconds(60));
  const seen = door.actions().filter(({ receipt }) => receipt.stage === "observed");
  expect(seen.length).toBeGreaterThanOrEqual(24);
  expect(lines).toContain("Nobody can tell what became of an action; it was not sent again.");
});

test("a start with nothing open waits for nothing and leaves no timer", async () => {
  const { clock, log, door } = await afterCrash([]);
  expect(await recoverActions({ door, clock, log, signal: new AbortController().signal })).toBe(0);
  expect(clock.pending).toBe(0);
});

test("a start that nobody answers goes on after ten seconds with what is in doubt", async () => {
  const { clock, log, lines, door } = await afterCrash(Array.from({ length: 40 }, (_, i) => `t${i}`));
  const leaving = new AbortController();
  const starting = recoverActions({ door, clock, log, signal: leaving.signal });
  await clock.advance(seconds(10));
  expect(await starting).toBe(40);
  expect(lines).toContain("The hub starts while actions that the last run left open are still being looked at.");
  leaving.abort();
  await clock.advance(millis(0));
  expect(lines).toContain("More actions are in doubt; list_actions shows them.");
});
