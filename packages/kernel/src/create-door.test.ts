import { describe, expect, expectTypeOf, test } from "vitest";
import { millis, seconds } from "./duration.ts";
import type { Effect } from "./effect.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

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

// @proves kernel.door.toward-safe-or-live
test("an effect that does not say where it leads cannot be written down", () => {
  expectTypeOf<Effect["toward"]>().toEqualTypeOf<"safe" | "live">();
  expectTypeOf<Omit<Effect, "toward">>().not.toExtend<Effect>();
});
