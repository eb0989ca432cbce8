import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "./approval.ts";
import { createApprovals } from "./create-approvals.ts";
import { minutes, seconds } from "./duration.ts";
import type { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

const anna = trialCaller();
const ben = trialCaller({ principal: "ben", correlation: "call-2" });
const asks = (over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  caller: anna,
  tool: "open_gate",
  argumentsHash: "h1",
  confirm: "confirm",
  summary: "Open the gate.",
  ...over,
});
const code = (name: string) => ({ code: name });

describe("an approval", () => {
  // @proves kernel.approval.confirm-by-second-call kernel.approval.single-use
  test("that is a confirm is answered by carrying it, once", async () => {
    const { approvals, clock } = createTrialDoor();
    const approval = await approvals.request(asks());
    expect(approval).toMatchObject({ state: "pending", principal: "anna", expiresAt: clock.now() + minutes(10) });
    expect(approval.id).toMatch(/^[\w-]{32,}$/);
    await approvals.spend(approval.id, asks());
    expect(approvals.get(approval.id)?.state).toBe("used");
    await expect(approvals.spend(approval.id, asks())).rejects.toMatchObject(code("APPROVAL_USED"));
  });

  test("has an id that a command line takes for no flag", async () => {
    const { approvals } = createTrialDoor();
    for (let n = 0; n < 300; n++) {
      const { id } = await approvals.request(asks({ caller: trialCaller({ principal: `person-${n}` }) }));
      expect(id).toMatch(/^[0-9a-f]{48}$/);
    }
  });

  // @proves kernel.approval.bound-to-caller kernel.approval.bound-to-tool kernel.approval.bound-to-arguments
  test("serves exactly the call it was asked for, and an attempt with another spends nothing", async () => {
    const { approvals } = createTrialDoor();
    const { id } = await approvals.request(asks());
    const others: Partial<ApprovalRequest>[] = [
      { caller: ben },
      { tool: "open_valve" },
      { argumentsHash: "h2" },
      { task: "run-1" },
      { confirm: "approve" },
    ];
    for (const other of others) {
      await expect(approvals.spend(id, asks(other))).rejects.toMatchObject(code("APPROVAL_MISMATCH"));
    }
    await approvals.spend(id, asks());
    await expect(approvals.spend("nothing", asks())).rejects.toMatchObject(code("APPROVAL_UNKNOWN"));
    await expect(approvals.spend("__proto__", asks())).rejects.toMatchObject(code("APPROVAL_UNKNOWN"));
  });

  // @proves kernel.approval.expires
  test("expires, pending or granted", async () => {
    const { approvals, clock } = createTrialDoor();
    const pending = await approvals.request(asks());
    const granted = await approvals.request(asks({ confirm: "approve" }));
    await approvals.decide(granted.id, ben, true);
    await clock.advance(minutes(10));
    for (const [id, confirm] of [
      [pending.id, "confirm"],
      [granted.id, "approve"],
    ] as const) {
      expect(approvals.get(id)?.state).toBe("expired");
      await expect(approvals.spend(id, asks({ confirm }))).rejects.toMatchObject(code("APPROVAL_EXPIRED"));
      await expect(approvals.decide(id, ben, true)).rejects.toMatchObject(code("APPROVAL_EXPIRED"));
    }
    expect(approvals.pending()).toEqual([]);
  });

  // @proves kernel.approval.approve-not-by-asking-model kernel.approval.approve-by-console-cli-or-other-principal
  test("that needs an approve is decided by somebody else, or at the console or the command line", async () => {
    const { approvals } = createTrialDoor();
    const ask = () => approvals.request(asks({ confirm: "approve" }));
    const { id } = await ask();
    await expect(approvals.spend(id, asks({ confirm: "approve" }))).rejects.toMatchObject(code("APPROVAL_PENDING"));
    for (const transport of ["http", "stdio", "socket", "rest", "internal"] as const) {
      const self = trialCaller({ transport, role: "admin" });
      await expect(approvals.decide(id, self, true)).rejects.toMatchObject(code("APPROVAL_OWN"));
    }
    expect(await approvals.decide(id, ben, true)).toMatchObject({ state: "granted", decidedBy: "ben" });
    await approvals.spend(id, asks({ confirm: "approve" }));
    for (const transport of ["console", "cli"] as const) {
      const again = await ask();
      expect((await approvals.decide(again.id, trialCaller({ transport }), true)).state).toBe("granted");
    }
  });

  // @proves kernel.approval.confirm-by-asking-client
  test("that is a confirm may be decided by whoever asked", async () => {
    const { approvals } = createTrialDoor();
    const { id } = await approvals.request(asks());
    expect((await approvals.decide(id, anna, true)).state).toBe("granted");
    await approvals.spend(id, asks());
  });

  test("that was declined stays declined", async () => {
    const { approvals } = createTrialDoor();
    const { id } = await approvals.request(asks());
    await approvals.decide(id, anna, false);
    await expect(approvals.spend(id, asks())).rejects.toMatchObject(code("APPROVAL_DECLINED"));
    await expect(approvals.decide(id, anna, true)).rejects.toMatchObject(code("APPROVAL_DECLINED"));
  });

  test("is decided only with the role that it needs", async () => {
    const { approvals } = createTrialDoor();
    const { id } = await approvals.request(asks({ minimumRole: "admin" }));
    await expect(approvals.decide(id, ben, true)).rejects.toMatchObject(code("ACCESS_DENIED"));
    const viewer = trialCaller({ principal: "vera", role: "viewer" });
    const plain = await approvals.request(asks());
    await expect(approvals.decide(plain.id, viewer, true)).rejects.toMatchObject(code("ACCESS_DENIED"));
    expect((await approvals.decide(id, trialCaller({ principal: "ada", role: "admin" }), true)).state).toBe("granted");
  });

  test("cannot be spent by two calls at once", async () => {
    const { approvals } = createTrialDoor();
    const { id } = await approvals.request(asks());
    const settled = await Promise.allSettled([1, 2, 3].map(() => approvals.spend(id, asks())));
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const each of settled)
      if (each.status === "rejected") expect(each.reason).toMatchObject(code("APPROVAL_USED"));
  });

  test("cannot be spent by two hubs at once", async () => {
    const { approvals, ledger, clock } = createTrialDoor();
    const far = {
      ...ledger,
      async commit(asked: Parameters<typeof ledger.commit>[0]) {
        await Promise.resolve(); // another hub's commit arrives a moment after its look
        return ledger.commit(asked);
      },
    };
    const elsewhere = createTrialDoor({ ledger: far, clock }).approvals;
    const { id } = await approvals.request(asks());
    const late = expect(elsewhere.spend(id, asks())).rejects.toMatchObject(code("APPROVAL_USED"));
    await approvals.spend(id, asks());
    await late;
  });

  // @proves kernel.approval.one-task
  test("given for a task serves that task again and again, and no other", async () => {
    const { approvals, clock } = createTrialDoor();
    const task = { task: "run-1", confirm: "approve" } as const;
    const { id } = await approvals.request(asks(task));
    await approvals.decide(id, ben, true);
    await approvals.spend(id, asks(task));
    await approvals.spend(id, asks(task));
    await expect(approvals.spend(id, asks({ ...task, task: "run-2" }))).rejects.toMatchObject(
      code("APPROVAL_MISMATCH"),
    );
    await expect(approvals.spend(id, asks({ confirm: "approve" }))).rejects.toMatchObject(code("APPROVAL_MISMATCH"));
    await clock.advance(minutes(10));
    await expect(approvals.spend(id, asks(task))).rejects.toMatchObject(code("APPROVAL_EXPIRED"));
  });

  // @proves kernel.approval.durable
  test("is still there after a restart", async () => {
    const { approvals, ledger, clock, journal } = createTrialDoor();
    const pending = await approvals.request(asks());
    const granted = await approvals.request(asks({ confirm: "approve" }));
    await approvals.decide(granted.id, ben, true);
    const again = createApprovals({ ledger, journal, clock });
    expect(again.pending().map(({ id }) => id)).toEqual([pending.id]);
    await again.spend(granted.id, asks({ confirm: "approve" }));
    await expect(approvals.spend(granted.id, asks({ confirm: "approve" }))).rejects.toMatchObject(
      code("APPROVAL_USED"),
    );
  });

  test("is on record at every step, without its arguments", async () => {
    const { approvals, ledger } = createTrialDoor();
    const { id } = await approvals.request(asks());
    await approvals.decide(id, ben, true);
    await approvals.spend(id, asks());
    expect(ledger.records("audit").map(({ kind, correlation, data }) => [kind, correlation, data["by"]])).toEqual([
      ["approval.requested", "call-1", "anna"],
      ["approval.granted", "call-2", "ben"],
      ["approval.used", "call-1", "anna"],
    ]);
  });
});

describe("waiting for a decision", () => {
  const never = new AbortController().signal;

  test("ends with the decision, the expiry or the caller", async () => {
    const { approvals, clock } = createTrialDoor();
    const first = await approvals.request(asks());
    const decided = approvals.decision(first.id, never);
    await approvals.decide(first.id, ben, false);
    expect((await decided).state).toBe("declined");
    expect((await approvals.decision(first.id, never)).state).toBe("declined");

    const second = await approvals.request(asks());
    const expired = expect(approvals.decision(second.id, never)).rejects.toMatchObject(code("APPROVAL_EXPIRED"));
    await clock.advance(minutes(10));
    await expired;

    const third = await approvals.request(asks());
    const leaving = new AbortController();
    const gone = expect(approvals.decision(third.id, leaving.signal)).rejects.toMatchObject(code("CANCELLED"));
    leaving.abort();
    await gone;
    await expect(approvals.decision("nothing", never)).rejects.toMatchObject(code("APPROVAL_UNKNOWN"));
    expect(clock.pending).toBe(0);
  });
});

describe("bounds", () => {
  test("a principal may have so many pending and no more, also side by side", async () => {
    const { ledger, journal, clock } = createTrialDoor();
    const limits = { ttl: minutes(10), pendingPerPrincipal: 3, remembered: 100 };
    const approvals = createApprovals({ ledger, journal, clock, limits });
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => approvals.request(asks())));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await expect(approvals.request(asks())).rejects.toMatchObject({ code: "APPROVALS_FULL", retryable: true });
    await approvals.request(asks({ caller: ben }));
    await clock.advance(minutes(10));
    await approvals.request(asks());
  });

  test("decided and expired ones are remembered up to a limit and then swept", async () => {
    const { ledger, journal, clock } = createTrialDoor();
    const limits = { ttl: seconds(10), pendingPerPrincipal: 100, remembered: 5 };
    const approvals = createApprovals({ ledger, journal, clock, limits });
    for (let i = 0; i < 20; i += 1) {
      const { id } = await approvals.request(asks());
      if (i % 2 === 0) await approvals.spend(id, asks());
      await clock.advance(seconds(11));
    }
    expect(ledger.list("approvals").length).toBeLessThanOrEqual(7);
  });
});

describe("the door", () => {
  const ids = (error: unknown): string => String((error as SteadingError).details?.["approval"]);

  // @proves kernel.approval.declared-per-tool kernel.approval.state-carries-only-id
  test("refuses with the approval's id, and performs when the call comes again with it", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const perform = (approval?: string) =>
      trial.door.perform(relay.effect(true, { confirm: "confirm", ...(approval === undefined ? {} : { approval }) }));
    const refused = await perform().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "CONFIRMATION_REQUIRED",
      details: {
        approval: expect.any(String),
        confirm: "confirm",
        summary: "Switch the relay on.",
        expires_at: expect.any(String),
      },
    });
    expect(relay.sends).toBe(0);
    expect((await perform(ids(refused))).receipt.stage).toBe("observed");
    await expect(perform(ids(refused))).rejects.toMatchObject(code("APPROVAL_USED"));
    expect(relay.sends).toBe(1);
  });

  // @proves kernel.door.approval-before-lane
  test("parks a call without holding its lane", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const parked = trial.door.perform(relay.effect(true, { confirm: "approve" }), { onApproval: "wait" });
    await trial.clock.advance(seconds(1));
    expect(trial.door.counters.lanes.lanes).toBe(0);
    expect((await trial.door.perform(relay.effect(true))).receipt.stage).toBe("observed");
    const { id = "" } = trial.approvals.pending()[0] ?? {};
    await trial.approvals.decide(id, ben, true);
    expect((await parked).receipt.stage).toBe("observed");
    expect(relay.sends).toBe(2);
  });

  test("tells a parked call that it was declined, or that its time ran out", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const park = () => trial.door.perform(relay.effect(true, { confirm: "approve" }), { onApproval: "wait" });
    const declined = expect(park()).rejects.toMatchObject(code("APPROVAL_DECLINED"));
    await trial.clock.advance(seconds(1));
    await trial.approvals.decide(trial.approvals.pending()[0]?.id ?? "", ben, false);
    await declined;
    const late = expect(park()).rejects.toMatchObject(code("APPROVAL_EXPIRED"));
    await trial.clock.advance(minutes(11));
    await late;
    expect(relay.sends).toBe(0);
  });

  test("waits on with an approval that was brought along and is still pending", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    const refused = await trial.door
      .perform(relay.effect(true, { confirm: "approve" }))
      .catch((error: unknown) => error);
    const effect = relay.effect(true, { confirm: "approve", approval: ids(refused) });
    await expect(trial.door.perform(effect)).rejects.toMatchObject(code("APPROVAL_PENDING"));
    const parked = trial.door.perform(effect, { onApproval: "wait" });
    await trial.clock.advance(seconds(1));
    await trial.approvals.decide(ids(refused), ben, true);
    expect((await parked).receipt.stage).toBe("observed");
  });

  // @proves kernel.door.authorise-again-after-parking kernel.door.right-lost-while-parked-refuses
  test("authorises a parked call again, so a right that was lost meanwhile refuses it", async () => {
    let role: "operator" | "viewer" = "operator";
    let access: "read" | "write" = "write";
    const trial = createTrialDoor({ standing: (caller) => ({ ...caller, role }), access: () => access });
    const relay = createTrialRelay(trial);
    const park = async (change: () => void): Promise<unknown> => {
      const parked = trial.door
        .perform(relay.effect(true, { confirm: "approve" }), { onApproval: "wait" })
        .catch((error: unknown) => error);
      await trial.clock.advance(seconds(1));
      change();
      await trial.approvals.decide(trial.approvals.pending()[0]?.id ?? "", ben, true);
      return parked;
    };
    expect(await park(() => (role = "viewer"))).toMatchObject(code("ACCESS_DENIED"));
    expect(trial.ledger.list("approvals").map(({ entry }) => entry.value)).toMatchObject([{ state: "granted" }]);
    role = "operator";
    expect(await park(() => (access = "read"))).toMatchObject(code("SERVER_READ_ONLY"));
    expect(relay.sends).toBe(0);
  });

  test("asks nobody about an effect towards safe", async () => {
    const trial = createTrialDoor();
    const relay = createTrialRelay(trial);
    expect((await trial.door.perform(relay.effect(false, { confirm: "approve" }))).receipt.stage).toBe("observed");
    expect(trial.approvals.pending()).toEqual([]);
  });
});
