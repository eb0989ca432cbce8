import { createDispatcher, seconds, type AskedEffect } from "@steading/kernel";
import { createTrialDoor, createTrialLog, createTrialRelay, type RelayMood } from "@steading/kernel/testing";
import { describe, expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { m } from "../define/m.ts";
import { createGraph } from "../graph/create-graph.ts";
import { declaredMethods } from "../paths/path-providers.ts";
import { createSubjectTools } from "./create-subject-tools.ts";
import { callerOf } from "./testing/call-tool.ts";

interface Told {
  readonly code?: string;
  readonly success?: boolean;
  readonly receipt?: { readonly stage: string };
  readonly isEnabled?: boolean;
  readonly methods?: readonly { readonly name: string; readonly isEnabled?: boolean }[];
  readonly subject?: { readonly $methods?: readonly string[] };
}

/** A pump whose methods switch a relay through the real door. */
function openPump(mood: RelayMood, access: "read" | "write" = "write") {
  const trial = createTrialDoor({ access: () => access });
  const relay = createTrialRelay(trial);
  relay.mood = mood;
  const effect = (on: boolean): AskedEffect => {
    const { tool: _tool, caller: _caller, confirm: _confirm, minimumRole: _role, ...asked } = relay.effect(on);
    return asked;
  };
  const Pump = defineSubject("test.approved.Pump", {
    methods: {
      startAndLeave: m.operation({ requiresConfirmation: true }, (_pump, _args, { perform }) => {
        void perform?.(effect(true));
      }),
      start: m.operation({ requiresConfirmation: true }, async (_pump, _args, { perform }) => {
        await perform?.(effect(true));
        return "started";
      }),
      think: m.operation({ requiresConfirmation: true }, () => {
        throw new Error("nothing was asked of the relay");
      }),
      stop: m.operation({ toward: "safe" }, async (_pump, _args, { perform }) => {
        await perform?.(effect(false));
      }),
      fakeStop: m.operation({ toward: "safe" }, async (_pump, _args, { perform }) => {
        await perform?.(effect(true));
      }),
    },
  });
  const root = Pump.create();
  createGraph({ clock: trial.clock, log: createTrialLog().log, root });
  const tools = createSubjectTools(root, (config) => {
    config.access = access;
    config.addMetadataProvider(declaredMethods());
  });
  const dispatcher = createDispatcher({
    toolsets: [tools],
    door: trial.door,
    clock: trial.clock,
    log: createTrialLog().log,
  });
  async function call(tool: string, args: object, role: "operator" | "admin" = "admin"): Promise<Told> {
    let done = false;
    const answer = dispatcher.call({ tool, arguments: args, caller: callerOf(role) });
    void answer.finally(() => (done = true));
    for (let turn = 0; turn < 200 && !done; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!done && turn > 20) await trial.clock.advance(seconds(1));
    }
    const result = await answer;
    return JSON.parse(result.kind === "unknown-tool" ? "{}" : result.text) as Told;
  }
  async function approved(method: string, key?: string): Promise<Told> {
    const args = { path: "/", method, ...(key === undefined ? {} : { idempotency_key: key }) };
    await call("invoke_method", args);
    const approval = trial.approvals.pending()[0]?.id;
    return call("invoke_method", { ...args, approval });
  }
  /** What is on record about the method itself, as against what it did. */
  const outer = () => trial.door.actions().find(({ target }) => target.startsWith("method "));
  return { relay, call, approved, outer, trial };
}

describe("a method that needs an approval", () => {
  test.each<[RelayMood, string]>([
    ["hangs", "start"],
    ["hangs", "startAndLeave"],
    ["breaks", "start"],
    ["lies", "start"],
  ])("is on record as unknown when its relay %s (%s)", async (mood, method) => {
    const { approved, outer, call } = openPump(mood);
    expect(await approved(method, "k")).toMatchObject({ code: "TIMEOUT", receipt: { stage: "unknown" } });
    expect(outer()?.receipt.stage).toBe("unknown");
    const again = await call("invoke_method", { path: "/", method, idempotency_key: "k" });
    expect(again).toMatchObject({ code: "TIMEOUT", receipt: { stage: "unknown" } });
  });

  test("is on record as failed when the device clearly refused, and when it did nothing at all", async () => {
    const refusing = openPump("refuses");
    expect(await refusing.approved("start")).toMatchObject({ code: "SOURCE_REJECTED" });
    expect(refusing.outer()?.receipt.stage).toBe("failed");
    const thinking = openPump("obeys");
    expect(await thinking.approved("think")).toMatchObject({ code: "METHOD_FAILED" });
    expect(thinking.outer()?.receipt.stage).toBe("failed");
  });
});

describe("a method declared to lead towards safe", () => {
  test("runs where everything else is read-only, and is listed as ready", async () => {
    const { call, relay } = openPump("obeys", "read");
    relay.on = true;
    expect(await call("invoke_method", { path: "/", method: "start" })).toMatchObject({ code: "SERVER_READ_ONLY" });
    expect(await call("invoke_method", { path: "/", method: "stop" }, "operator")).toMatchObject({
      success: true,
      receipt: { stage: "observed" },
    });
    expect(relay.on).toBe(false);
    const { methods } = await call("list_methods", { path: "/" });
    expect(methods?.filter(({ isEnabled }) => isEnabled !== false).map(({ name }) => name)).toEqual([
      "stop",
      "fakeStop",
    ]);
    expect((await call("query", {})).subject?.$methods).toEqual(["stop", "fakeStop"]);
  });

  test.each(["read", "write"] as const)("cannot switch anything on, with access %s", async (access) => {
    const { call, relay } = openPump("obeys", access);
    const answer = await call("invoke_method", { path: "/", method: "fakeStop" });
    expect(answer).not.toHaveProperty("success");
    expect(relay.sends).toBe(0);
  });

  test("needs nobody's confirmation: saying both is a mistake in the definition", () => {
    expect(() =>
      defineSubject("test.approved.Both", {
        methods: { halt: m.operation({ toward: "safe", requiresConfirmation: true }, () => {}) },
      }),
    ).toThrow(/halt/);
  });
});
