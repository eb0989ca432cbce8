import { describe, expect, test } from "vitest";
import { days, millis, seconds } from "./duration.ts";
import type { Interlock } from "./interlock.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { createManualClock } from "./manual-clock.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

const refusal = (until?: number) => ({
  code: "RESTING",
  message: "It must rest.",
  retryable: true,
  ...(until === undefined ? {} : { until }),
});
const objects = (overrides: Partial<Interlock> = {}): Interlock => ({
  name: "rest",
  applies: () => true,
  check: () => refusal(),
  ...overrides,
});

describe("an effect that goes well", () => {
  // @proves kernel.receipt.stage-is-what-is-known kernel.receipt.stores-before kernel.access.operator-acts
  test("is observed, with what the device said before and after", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const outcome = await trial.door.perform(relay.effect(true));
    expect(outcome).toEqual({
      receipt: { action: expect.any(String), stage: "observed", at: trial.clock.now(), observed: true },
      before: false,
      acknowledgement: true,
    });
    expect(trial.door.action(outcome.receipt.action)).toMatchObject({ outcome: { before: false } });
    expect(trial.clock.pending).toBe(0);
  });

  // @proves kernel.door.reservation-before-send kernel.door.acknowledge-before-observe kernel.door.observe-before-outcome
  // @proves kernel.door.send-before-acknowledge kernel.door.reservation-and-audit-one-commit kernel.door.outcome-one-commit
  // @proves kernel.journal.audit-holds-effects-approvals-accounts kernel.journal.carries-correlation-ids
  // @proves kernel.journal.recorded-once
  test("is reserved with its audit record before the first byte, and its outcome is written after the read-back", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const order: string[] = [];
    const commit = trial.ledger.commit.bind(trial.ledger);
    const watched = {
      ...trial.ledger,
      commit(asked: Parameters<typeof commit>[0]) {
        const spaces = (asked.puts ?? []).map(({ space }) => space).join("+");
        order.push(`commit ${asked.durability} ${spaces} ${asked.records?.map(({ kind }) => kind).join("+")}`);
        return commit(asked);
      },
    };
    const second = createTrialDoor({ ledger: watched, clock: trial.clock });
    const again = createTrialRelay(second);
    const effect = again.effect(true, { key: "k", caller: trialCaller({ correlation: "call-7" }) });
    const { send } = effect.drive;
    await second.door.perform({
      ...effect,
      drive: {
        async send(wire, signal) {
          const acknowledgement = await send(wire, signal);
          order.push("acknowledged");
          return acknowledgement;
        },
      },
    });
    expect(order).toEqual([
      "commit fixed actions+keys effect.reserved",
      "acknowledged",
      "commit fixed actions+keys effect.ended",
    ]);
    expect(again.events).toEqual(["on:start", "on:done", "read"]);
    const audit = second.ledger.records("audit");
    expect(audit.map(({ kind, correlation }) => [kind, correlation])).toEqual([
      ["effect.reserved", "call-7"],
      ["effect.ended", "call-7"],
    ]);
    expect(relay.sends).toBe(0);
  });

  // @proves kernel.receipt.device-true-is-acknowledged kernel.receipt.acknowledged-is-its-own-status
  test("on a device without read-back ends as acknowledged and is never read", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const { receipt } = await trial.door.perform(relay.effect(true, { observeDeadline: millis(0) }));
    expect(receipt.stage).toBe("acknowledged");
    expect(receipt).not.toHaveProperty("observed");
    expect(relay.events).not.toContain("read");
  });

  // @proves kernel.door.outcome-before-leaving-lane kernel.door.lane-left-before-answer
  test("has left the lane by the time of the answer", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await trial.door.perform(relay.effect(true));
    expect(trial.door.counters.lanes).toMatchObject({ lanes: 0, waiting: 0 });
  });
});

describe("an effect that does not go well", () => {
  // @proves kernel.receipt.unknown-stays-unknown kernel.door.observe-ends-at-deadline
  // @proves kernel.clock.state-machines-run-on-manual-clock kernel.error.expected-is-a-value
  test("a relay that does not read back as wanted is unknown at the deadline", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "lies";
    const performing = trial.door.perform(relay.effect(true, { observeDeadline: seconds(2) }));
    await trial.clock.advance(seconds(2));
    const outcome = await performing;
    expect(outcome.receipt.stage).toBe("unknown");
    expect(outcome.error).toMatchObject({ code: "NOT_OBSERVED" });
    expect(outcome.acknowledgement).toBe(true);
    expect(relay.events.filter((each) => each === "read").length).toBeGreaterThan(15);
    expect(trial.clock.pending).toBe(0);
  });

  // @proves kernel.receipt.cached-value-is-not-observed kernel.receipt.observed-needs-inbound-after-ack
  test("a value from before the acknowledgement proves nothing, however right it is", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const cached = trial.reception.received(true);
    trial.door.registerObserver("cache", () => ({ read: async () => cached, satisfies: () => true }));
    const performing = trial.door.perform(relay.effect(true, { observer: "cache", observeDeadline: seconds(1) }));
    await trial.clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("unknown");
  });

  test("something that looks like an arrival but never came off a wire proves nothing", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const forged = { value: true, at: 0, stamp: 1e9 } as unknown as ReturnType<typeof trial.reception.received>;
    trial.door.registerObserver("forger", () => ({ read: async () => forged, satisfies: () => true }));
    const performing = trial.door.perform(relay.effect(true, { observer: "forger", observeDeadline: seconds(1) }));
    await trial.clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("unknown");
    expect(trial.logged.some(({ level }) => level === "error")).toBe(true);
  });

  test("a refusal by the device is failed, and tells why", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "refuses";
    const outcome = await trial.door.perform(relay.effect(true));
    expect(outcome.receipt.stage).toBe("failed");
    expect(outcome.error).toEqual({ code: "RELAY_REFUSED", message: "The relay said no.", retryable: false });
  });

  test("a line that breaks after the first byte leaves the outcome unknown", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    const outcome = await trial.door.perform(relay.effect(true));
    expect(outcome).toMatchObject({ receipt: { stage: "unknown" }, error: { code: "LINE_BROKE", retryable: true } });
    expect(relay.events).not.toContain("read");
  });

  test("a driver's own exception stays in the log", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "crashes";
    const outcome = await trial.door.perform(relay.effect(true));
    expect(outcome.receipt.stage).toBe("unknown");
    expect(outcome.error?.code).toBe("INTERNAL");
    expect(JSON.stringify(outcome)).not.toContain("secret");
    const ref = /under ([0-9a-f]+)/.exec(outcome.error?.message ?? "")?.[1];
    expect(trial.logged.find(({ fields }) => fields?.["ref"] === ref)?.cause).toBeInstanceOf(RangeError);
  });

  test("a device that never acknowledges is unknown after the send deadline", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "hangs";
    const performing = trial.door.perform(relay.effect(true, { sendDeadline: seconds(3) }));
    await trial.clock.advance(seconds(3));
    expect(await performing).toMatchObject({ receipt: { stage: "unknown" }, error: { code: "TIMEOUT" } });
    expect(trial.clock.pending).toBe(0);
  });

  test("a driver that ignores the deadline gives its lane up after a grace", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const stuck = relay.effect(true, {
      sendDeadline: seconds(1),
      drive: {
        send(wire) {
          wire.firstByte();
          return new Promise(() => {});
        },
      },
    });
    const performing = trial.door.perform(stuck);
    await trial.clock.advance(seconds(1));
    expect(trial.door.counters.lanes.lanes).toBe(1);
    await trial.clock.advance(seconds(1));
    expect(await performing).toMatchObject({ receipt: { stage: "unknown" }, error: { code: "TIMEOUT" } });
    expect(trial.door.counters.lanes.lanes).toBe(0);
  });

  test("a failure before the first byte is thrown and on record as failed", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "unreachable";
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "LINE_DOWN", retryable: true });
    expect(trial.door.actions()).toMatchObject([
      { receipt: { stage: "failed" }, outcome: { error: { code: "LINE_DOWN" } } },
    ]);
    expect(trial.ledger.records("audit").at(-1)?.data).toMatchObject({ stage: "failed", sent: false });
  });

  test("after the deadline a driver that is late cannot put its first byte on the wire", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    let late: unknown;
    const performing = trial.door.perform(
      relay.effect(true, {
        sendDeadline: seconds(1),
        drive: {
          async send(wire) {
            await trial.clock.sleep(seconds(5));
            try {
              wire.firstByte();
            } catch (error) {
              late = error;
            }
            return null;
          },
        },
      }),
    );
    const refused = expect(performing).rejects.toMatchObject({ code: "TIMEOUT" });
    await trial.clock.advance(seconds(10));
    await refused;
    expect(late).toMatchObject({ code: "TIMEOUT" });
    expect(trial.door.counters.sent).toBe(0);
  });
});

describe("who may", () => {
  // @proves kernel.access.viewer-only-reads kernel.access.operator-not-dangerous kernel.access.admin-does-dangerous
  // @proves kernel.caller.role-order kernel.access.token-scope-narrows
  test("the role decides, narrowed by the token", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const as = (caller: Parameters<typeof trialCaller>[0], minimumRole: "operator" | "admin" = "operator") =>
      trial.door.perform(relay.effect(true, { caller: trialCaller(caller), minimumRole }));
    const denied = { code: "ACCESS_DENIED" };
    await expect(as({ role: "viewer" })).rejects.toMatchObject(denied);
    await expect(as({ role: "operator" }, "admin")).rejects.toMatchObject(denied);
    await expect(as({ role: "admin", scope: { role: "viewer" } })).rejects.toMatchObject(denied);
    await expect(as({ role: "viewer", scope: { role: "admin" } })).rejects.toMatchObject(denied);
    expect(relay.sends).toBe(0);
    expect((await as({ role: "admin" }, "admin")).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.authorise-before-validate
  test("a caller without the right learns nothing about its arguments", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    let validated = 0;
    const effect = relay.effect(true, {
      caller: trialCaller({ role: "viewer" }),
      validate: () => {
        validated += 1;
        throw new SteadingError("NONSENSE", "No.");
      },
    });
    await expect(trial.door.perform(effect)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    expect(validated).toBe(0);
  });

  // @proves kernel.access.read-refuses-every-live kernel.access.read-lets-safe-through kernel.access.refusal-names-setting
  // @proves kernel.door.safe-ignores-access-mode
  test("with access set to read nothing live goes out, whatever the role, and safe does", async () => {
    const trial = createTrialDoor({ access: () => "read" });
    const relay = createTrialRelay(trial);
    relay.on = true;
    const refused = trial.door.perform(relay.effect(true, { caller: trialCaller({ role: "admin" }) }));
    await expect(refused).rejects.toMatchObject({
      code: "SERVER_READ_ONLY",
      message: expect.stringMatching(/read-only.*access/),
    });
    expect((await trial.door.perform(relay.effect(false))).receipt.stage).toBe("observed");
    expect(relay.on).toBe(false);
  });

  // @proves kernel.door.safe-needs-credentials kernel.door.safe-needs-right-target
  test("towards safe still needs a role and a target that exists", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await expect(
      trial.door.perform(relay.effect(false, { caller: trialCaller({ role: "viewer" }) })),
    ).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    const wrong = relay.effect(false, {
      validate() {
        throw new SteadingError("RELAY_UNKNOWN", "There is no such relay.");
      },
    });
    await expect(trial.door.perform(wrong)).rejects.toMatchObject({ code: "RELAY_UNKNOWN" });
    expect(relay.sends).toBe(0);
  });

  test("a caller whose account is gone is refused", async () => {
    const trial = createTrialDoor({ standing: () => undefined });
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  });
});

describe("in the lane", () => {
  // @proves kernel.door.lane-one-at-a-time kernel.door.lane-per-target
  test("effects on one target take turns and those on others do not wait", async () => {
    const trial = createTrialDoor();
    const first = createTrialRelay(trial, "relay-1");
    const second = createTrialRelay(trial, "relay-2");
    first.delay = seconds(1);
    const all = [trial.door.perform(first.effect(true)), trial.door.perform(first.effect(true))];
    const other = await trial.door.perform(second.effect(true));
    expect(other.receipt.stage).toBe("observed");
    await trial.clock.advance(seconds(3));
    await Promise.all(all);
    expect(first.together).toBe(1);
    expect(first.events).toEqual(["on:start", "on:done", "read", "on:start", "on:done", "read"]);
  });

  // @proves kernel.door.lane-before-interlocks kernel.interlock.checked-on-fresh-state kernel.door.interlocks-before-reservation
  test("interlocks are asked when the turn has come, and a refusal leaves no reservation", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(objects({ check: () => (relay.on ? refusal(Date.UTC(2026, 5, 1)) : undefined) }));
    relay.delay = seconds(1);
    const first = trial.door.perform(relay.effect(true));
    const second = trial.door.perform(relay.effect(true));
    const refused = expect(second).rejects.toMatchObject({
      code: "RESTING",
      retryable: true,
      details: { interlock: "rest", until: "2026-06-01T00:00:00.000Z" },
    });
    await trial.clock.advance(seconds(2));
    expect((await first).receipt.stage).toBe("observed");
    await refused;
    expect(relay.sends).toBe(1);
    expect(trial.door.actions()).toHaveLength(1);
    expect(trial.ledger.records("audit")).toHaveLength(2);
  });

  // @proves kernel.interlock.checked-for-every-caller kernel.interlock.declared-once
  test("an interlock refuses every caller alike", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(objects());
    for (const transport of ["http", "stdio", "socket", "rest", "cli", "console", "internal"] as const) {
      const effect = relay.effect(true, { caller: trialCaller({ transport, role: "admin" }) });
      await expect(trial.door.perform(effect)).rejects.toMatchObject({ code: "RESTING" });
    }
    expect(relay.sends).toBe(0);
  });

  // @proves kernel.door.safe-ignores-minimum-times kernel.door.safe-ignores-rate-limits
  test("an interlock is told about an effect towards safe and cannot stop it", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const heard: string[] = [];
    trial.door.registerInterlock(
      objects({
        check: () => {
          heard.push("check");
          return refusal();
        },
        admitted: () => void heard.push("admitted"),
        sent: () => void heard.push("sent"),
        ended: (_effect, stage) => void heard.push(`ended ${stage}`),
      }),
    );
    await trial.door.perform(relay.effect(false));
    expect(heard).toEqual(["admitted", "sent", "ended observed"]);
  });

  test("an interlock that fails stops live effects and lets safe ones pass", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    trial.door.registerInterlock(
      objects({
        applies() {
          throw new Error("broken rule");
        },
      }),
    );
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "INTERNAL" });
    expect((await trial.door.perform(relay.effect(false))).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.safe-overtakes-lane
  test("towards safe overtakes what waits and cuts short the observation of what runs", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.mood = "lies";
    const observing = trial.door.perform(relay.effect(true, { observeDeadline: seconds(60) }));
    await trial.clock.advance(millis(250));
    relay.mood = "obeys";
    const waiting = trial.door.perform(relay.effect(true));
    const off = trial.door.perform(relay.effect(false));
    await Promise.all([observing, off, waiting]);
    expect(await observing).toMatchObject({ receipt: { stage: "unknown" }, error: { code: "SUPERSEDED" } });
    expect((await off).receipt.stage).toBe("observed");
    expect(relay.events.filter((each) => each.endsWith("start"))).toEqual(["on:start", "off:start", "on:start"]);
    expect(trial.door.counters.lanes).toMatchObject({ cut: 1, overtaken: 1 });
  });

  test("towards safe never cuts a sending", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const on = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(500));
    const off = trial.door.perform(relay.effect(false));
    await trial.clock.advance(seconds(3));
    expect(await on).toMatchObject({
      receipt: { stage: "unknown" },
      error: { code: "SUPERSEDED" },
      acknowledgement: true,
    });
    expect((await off).receipt.stage).toBe("observed");
    expect(relay.events).toEqual(["on:start", "on:done", "off:start", "off:done", "read"]);
  });

  test("a full lane refuses live effects for the time being, never safe ones", async () => {
    const trial = createTrialDoor({ limits: { liveWaiting: 2 } });
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const taken = [1, 2, 3].map(() => trial.door.perform(relay.effect(true)));
    await expect(trial.door.perform(relay.effect(true))).rejects.toMatchObject({ code: "LANE_BUSY", retryable: true });
    const off = trial.door.perform(relay.effect(false));
    await trial.clock.advance(seconds(10));
    expect((await off).receipt.stage).toBe("observed");
    await Promise.all(taken);
    expect(trial.door.counters.lanes.refused).toBe(1);
  });

  test("a caller that goes away while waiting is let go, one that goes away later changes nothing", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const leaving = new AbortController();
    const running = trial.door.perform(relay.effect(true), { signal: leaving.signal });
    const waiting = trial.door.perform(relay.effect(true), { signal: leaving.signal });
    const refused = expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    await trial.clock.advance(millis(10));
    leaving.abort();
    await refused;
    await trial.clock.advance(seconds(2));
    expect((await running).receipt.stage).toBe("observed");
    expect(relay.sends).toBe(1);
    expect(trial.door.actions()).toHaveLength(1);
    await expect(trial.door.perform(relay.effect(true), { signal: leaving.signal })).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });
});

describe("when the store fails", () => {
  const full = () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock });
    let broken: string | undefined = "STORE_FULL";
    return {
      clock,
      repair: () => (broken = undefined),
      ledger: {
        ...ledger,
        async commit(asked: Parameters<typeof ledger.commit>[0]) {
          if (broken !== undefined) throw new SteadingError(broken, "No room.");
          return ledger.commit(asked);
        },
      },
    };
  };

  test("a live effect is not sent", async () => {
    const { ledger, clock, repair } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { key: "k" }))).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(relay.sends).toBe(0);
    repair();
    expect((await trial.door.perform(relay.effect(true, { key: "k" }))).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.safe-ignores-full-disk kernel.error.swallowed-is-logged-and-counted
  test("one towards safe is sent all the same, counted and logged", async () => {
    const { ledger, clock } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    relay.on = true;
    const performing = trial.door.perform(relay.effect(false));
    await trial.clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("observed");
    expect(relay.on).toBe(false);
    expect(trial.door.counters.ledger).toEqual({ unrecordedReservations: 1, unrecordedOutcomes: 1 });
    expect(trial.logged.filter(({ level }) => level === "error")).toHaveLength(2);
  });

  test("one towards safe that could not be reserved is recorded whole with its outcome", async () => {
    const { ledger, clock, repair } = full();
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const performing = trial.door.perform(relay.effect(false));
    await trial.clock.advance(millis(500));
    repair();
    await trial.clock.advance(seconds(1));
    const { receipt } = await performing;
    expect(trial.door.action(receipt.action)).toMatchObject({ receipt: { stage: "observed" } });
    expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["effect.reserved", "effect.ended"]);
  });

  test("one towards safe does not wait for a disk that hangs", async () => {
    const clock = createManualClock();
    const ledger = createMemoryLedger({ clock, latency: seconds(60) });
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    const performing = trial.door.perform(relay.effect(false));
    await clock.advance(seconds(1));
    expect(relay.sends).toBe(1);
    await clock.advance(seconds(120));
    expect((await performing).receipt.stage).toBe("observed");
    expect(ledger.records("audit").map(({ kind }) => kind)).toEqual(["effect.reserved", "effect.ended"]);
  });

  test("an outcome that meets a full disk is written from the reserve", async () => {
    const clock = createManualClock();
    const memory = createMemoryLedger({ clock });
    let commits = 0;
    const ledger = {
      ...memory,
      async commit(asked: Parameters<typeof memory.commit>[0]) {
        commits += 1;
        if (commits > 1 && asked.reserve !== true) throw new SteadingError("STORE_FULL", "No room.");
        return memory.commit(asked);
      },
    };
    const trial = createTrialDoor({ ledger, clock });
    const relay = createTrialRelay(trial);
    const performing = trial.door.perform(relay.effect(true));
    await clock.advance(seconds(1));
    expect((await performing).receipt.stage).toBe("observed");
    expect(trial.door.actions()).toMatchObject([{ receipt: { stage: "observed" } }]);
    expect(trial.door.counters.ledger.unrecordedOutcomes).toBe(0);
  });
});

describe("what is kept", () => {
  test("secrets in the arguments are neither in the action nor in the audit", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await trial.door.perform(relay.effect(true, { arguments: { on: true, password: "hunter2" } }));
    expect(JSON.stringify([trial.door.actions(), trial.ledger.records("audit")])).not.toContain("hunter2");
  });

  test("actions are listed newest first, bounded, and those in doubt by themselves", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const first = await trial.door.perform(relay.effect(true));
    relay.mood = "breaks";
    const lost = await trial.door.perform(relay.effect(true));
    relay.mood = "obeys";
    const last = await trial.door.perform(relay.effect(true));
    const ids = (filter?: Parameters<typeof trial.door.actions>[0]) => trial.door.actions(filter).map(({ id }) => id);
    expect(ids()).toEqual([last, lost, first].map(({ receipt }) => receipt.action));
    expect(ids({ limit: 1 })).toEqual([last.receipt.action]);
    expect(ids({ inDoubt: true })).toEqual([lost.receipt.action]);
    expect(trial.door.action("nothing")).toBeUndefined();
  });

  test("an action that is under way shows as requested", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    relay.delay = seconds(1);
    const performing = trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions()).toMatchObject([{ outcome: undefined, receipt: { stage: "requested" } }]);
    await trial.clock.advance(seconds(1));
    await performing;
  });

  // @proves kernel.bounds.everything-has-a-limit kernel.bounds.drops-are-counted
  test("finished actions are swept by number and age, those in doubt stay", async () => {
    const trial = createTrialDoor({ limits: { actions: { kept: 5, age: days(7), inDoubt: 100 } } });
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    const lost = await trial.door.perform(relay.effect(true));
    relay.mood = "obeys";
    for (let i = 0; i < 12; i += 1) await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions().map(({ id }) => id)).toContain(lost.receipt.action);
    expect(trial.door.actions().length).toBeLessThanOrEqual(7);
    expect(trial.door.counters.swept).toMatchObject({ doubtful: 0, failed: 0 });
    expect(trial.door.counters.swept.actions).toBeGreaterThanOrEqual(6);
    await trial.clock.advance(days(8));
    await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions()).toHaveLength(2);
  });

  test("too many in doubt are let go of aloud", async () => {
    const trial = createTrialDoor({ limits: { actions: { kept: 5, age: days(7), inDoubt: 2 } } });
    const relay = createTrialRelay(trial);
    relay.mood = "breaks";
    for (let i = 0; i < 4; i += 1) await trial.door.perform(relay.effect(true));
    await trial.clock.advance(millis(1));
    expect(trial.door.actions({ inDoubt: true }).length).toBeLessThanOrEqual(3);
    expect(trial.door.counters.swept.doubtful).toBeGreaterThan(0);
    expect(trial.ledger.records("audit").some(({ kind }) => kind === "effect.forgotten")).toBe(true);
    expect(trial.logged.some(({ level }) => level === "warn")).toBe(true);
  });

  test("mistakes in the wiring are told at once", () => {
    const trial = createTrialDoor();
    createTrialRelay(trial);
    expect(() => createTrialRelay(trial)).toThrow(/two observers/);
    trial.door.registerInterlock(objects());
    expect(() => trial.door.registerInterlock(objects())).toThrow(/two interlocks/);
  });

  test("a live effect whose observer is missing is refused before anything happens", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { observer: "ghost" }))).rejects.toMatchObject({
      code: "OBSERVER_UNKNOWN",
    });
    const off = trial.door.perform(relay.effect(false, { observer: "ghost" }));
    expect((await off).receipt.stage).toBe("unknown");
    expect(relay.sends).toBe(1);
  });

  test("arguments that JSON cannot carry are refused", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    await expect(trial.door.perform(relay.effect(true, { arguments: { text: "\uD800" } }))).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});
