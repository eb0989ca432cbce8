import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createDispatcher } from "./create-dispatcher.ts";
import { defineTool } from "./define-tool.ts";
import type { CallRequest } from "./dispatcher.ts";
import { millis, seconds } from "./duration.ts";
import { receiptJson } from "./receipt.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialLog, createTrialRelay, trialCaller } from "./testing/index.ts";
import type { Tool, ToolContext } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

function tool(name: string, over: object = {}): Tool {
  return defineTool({
    name,
    title: name,
    summary: `Does ${name}.`,
    input: z.object({ n: z.number().optional() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: ({ n }) => ({ n: n ?? null }),
    ...over,
  });
}

function setUp(toolsets: readonly Toolset[], limits = {}) {
  const trial = createTrialDoor();
  const { log, logged } = createTrialLog();
  const dispatcher = createDispatcher({ toolsets, door: trial.door, clock: trial.clock, log, limits });
  const call = (name: string, given: unknown = {}, over: Partial<CallRequest> = {}) =>
    dispatcher.call({ tool: name, arguments: given, caller: trialCaller(), ...over });
  return { ...trial, dispatcher, call, logged };
}

const all = { kind: "all" } as const;
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);

describe("lists", () => {
  test("essential tools come first, then toolsets in their order, then names", () => {
    const { dispatcher } = setUp([
      { name: "zeta", tools: [tool("z_b"), tool("z_a"), tool("z_main", { essential: true })] },
      { name: "alpha", tools: [tool("a_b"), tool("a_main", { essential: true }), tool("a_B")] },
    ]);
    expect(names(dispatcher.tools(all, "viewer"))).toEqual(["z_main", "a_main", "z_a", "z_b", "a_B", "a_b"]);
    expect(names(dispatcher.tools({ kind: "essential" }, "viewer"))).toEqual(["z_main", "a_main"]);
    expect(names(dispatcher.tools({ kind: "toolset", name: "alpha" }, "viewer"))).toEqual(["a_main", "a_B", "a_b"]);
    expect(dispatcher.tools({ kind: "toolset", name: "nothing" }, "viewer")).toEqual([]);
    expect([dispatcher.hasToolset("alpha"), dispatcher.hasToolset("beta")]).toEqual([true, false]);
  });

  test("a role sees what it may call", () => {
    const { dispatcher } = setUp([
      { name: "s", tools: [tool("a"), tool("b", { minimumRole: "operator" }), tool("c", { minimumRole: "admin" })] },
    ]);
    expect(names(dispatcher.tools(all, "viewer"))).toEqual(["a"]);
    expect(names(dispatcher.tools(all, "operator"))).toEqual(["a", "b"]);
    expect(names(dispatcher.tools(all, "admin"))).toEqual(["a", "b", "c"]);
  });

  // @proves kernel.tool.description-change-raises-list-changed
  test("the list is the same frozen array until a toolset says that it has changed", () => {
    let tell = (): void => {};
    const tools = [tool("a")];
    const { dispatcher } = setUp([{ name: "s", tools, onChange: (listener) => ((tell = listener), () => {}) }]);
    let heard = 0;
    const cancel = dispatcher.onChange(() => (heard += 1));
    const before = dispatcher.tools(all, "viewer");
    const { generation } = dispatcher;
    expect(dispatcher.tools(all, "viewer")).toBe(before);
    expect(Object.isFrozen(before)).toBe(true);
    tools.push(tool("b"));
    tell();
    expect(names(dispatcher.tools(all, "viewer"))).toEqual(["a", "b"]);
    expect(dispatcher.generation).toBeGreaterThan(generation);
    expect(heard).toBe(1);
    cancel();
    tell();
    expect(heard).toBe(1);
  });

  test("a provider that comes or goes is noticed and told", () => {
    let there = false;
    const { dispatcher } = setUp([{ name: "s", tools: [tool("a")], provider: () => there }]);
    let heard = 0;
    dispatcher.onChange(() => (heard += 1));
    const { generation } = dispatcher;
    expect(dispatcher.tools(all, "viewer")).toEqual([]);
    there = true;
    expect(names(dispatcher.tools(all, "viewer"))).toEqual(["a"]);
    expect(dispatcher.generation).toBe(generation + 1);
    expect(heard).toBe(1);
  });

  test("two toolsets or tools of one name, and reserved names, are refused when the hub is put together", () => {
    const a = { name: "a", tools: [tool("x")] };
    expect(() => setUp([a, { name: "a", tools: [] }])).toThrow(/two toolsets/);
    expect(() => setUp([a, { name: "b", tools: [tool("x")] }])).toThrow(/in a and in b/);
    for (const name of ["essential", "messages", "all"]) {
      expect(() => setUp([{ name, tools: [] }])).toThrow(/address is taken/);
    }
  });
});

describe("unknown tools", () => {
  const secret = tool("secret", { minimumRole: "admin" });
  const unknown = { kind: "unknown-tool" };

  test("a tool that is hidden from the caller cannot be told from one that is absent", async () => {
    const { call, dispatcher } = setUp([{ name: "s", tools: [secret, tool("open")] }]);
    expect(await call("secret", { nonsense: true })).toEqual(unknown);
    expect(await call("nothing")).toEqual(unknown);
    expect(await call("secret", {}, { caller: trialCaller({ role: "admin", scope: { role: "operator" } }) })).toEqual(
      unknown,
    );
    expect(await call("toString")).toEqual(unknown);
    expect(await call("secret", {}, { caller: trialCaller({ role: "admin" }) })).toMatchObject({ kind: "answer" });
    expect(dispatcher.counters.unknownTools).toBe(4);
  });

  // @proves kernel.journey.question-toolset-view-first
  test("a call meets the view before anything else", async () => {
    const { call } = setUp([
      { name: "s", tools: [tool("plain"), tool("main", { essential: true })] },
      { name: "t", tools: [tool("other")] },
    ]);
    expect(await call("plain", {}, { view: { kind: "essential" } })).toEqual(unknown);
    expect(await call("main", {}, { view: { kind: "essential" } })).toMatchObject({ kind: "answer" });
    expect(await call("other", {}, { view: { kind: "toolset", name: "s" } })).toEqual(unknown);
    expect(await call("other", {}, { view: { kind: "toolset", name: "t" } })).toMatchObject({ kind: "answer" });
  });

  test("a token's toolsets narrow what its bearer may call", async () => {
    const { call } = setUp([
      { name: "s", tools: [tool("mine")] },
      { name: "t", tools: [tool("other")] },
    ]);
    const caller = trialCaller({ scope: { toolsets: ["s"] } });
    expect(await call("mine", {}, { caller })).toMatchObject({ kind: "answer" });
    expect(await call("other", {}, { caller })).toEqual(unknown);
  });

  // @proves kernel.toolset.provider-absent-not-listed kernel.toolset.provider-absent-call-unknown-tool
  test("without its provider a toolset is not there", async () => {
    const { call, dispatcher } = setUp([{ name: "s", tools: [tool("a")], provider: () => false }]);
    expect(dispatcher.tools(all, "admin")).toEqual([]);
    expect(await call("a")).toEqual(unknown);
  });

  test("a provider that fails is not there, and everything else is", async () => {
    const { call, dispatcher, logged } = setUp([
      {
        name: "s",
        tools: [tool("a")],
        provider() {
          throw new Error("cannot tell");
        },
      },
      { name: "t", tools: [tool("b")] },
    ]);
    expect(names(dispatcher.tools(all, "admin"))).toEqual(["b"]);
    expect(await call("a")).toEqual(unknown);
    expect(logged.some(({ level }) => level === "error")).toBe(true);
  });

  // @proves kernel.toolset.flag-off-not-listed kernel.toolset.flag-off-call-names-the-switch
  test("a toolset that is switched off is not listed, and a call names what turns it on", async () => {
    const { call, dispatcher } = setUp([
      { name: "s", tools: [tool("a")], flag: { on: false, turnsOn: "--enable-plans" }, provider: () => false },
    ]);
    expect(dispatcher.tools(all, "admin")).toEqual([]);
    const result = await call("a");
    expect(result).toMatchObject({ kind: "error", error: { code: "FEATURE_OFF" } });
    expect(result.kind === "error" && result.text).toContain("--enable-plans");
  });
});

describe("a call", () => {
  test("answers with the object and its text", async () => {
    const { call } = setUp([
      { name: "s", tools: [tool("a"), tool("list", { text: () => "[1]", handler: () => ({ list: [1] }) })] },
    ]);
    expect(await call("a", { n: 3 })).toEqual({ kind: "answer", structured: { n: 3 }, text: '{"n":3}' });
    expect(await call("a", undefined)).toEqual({ kind: "answer", structured: { n: null }, text: '{"n":null}' });
    expect(await call("list")).toEqual({ kind: "answer", structured: { list: [1] }, text: "[1]" });
  });

  // @proves kernel.journey.question-schema-before-handler
  test("is checked against the schema before its handler runs", async () => {
    let ran = 0;
    const { call } = setUp([{ name: "s", tools: [tool("a", { handler: () => ({ ran: (ran += 1) }) })] }]);
    const result = await call("a", { n: "three", m: 1 });
    expect(result).toMatchObject({ kind: "error", error: { code: "INVALID_ARGUMENTS" } });
    expect(JSON.parse(result.kind === "error" ? result.text : "")).toMatchObject({
      code: "INVALID_ARGUMENTS",
      problems: [{ path: "n" }, { path: "m" }],
    });
    expect(ran).toBe(0);
  });

  test("with too many values is refused before they are looked at", async () => {
    const { call } = setUp([{ name: "s", tools: [tool("a")] }], { argumentElements: 10 });
    const nested = { n: Array.from({ length: 5 }, () => [1, 2]) };
    expect(await call("a", nested)).toMatchObject({ kind: "error", error: { code: "ARGUMENTS_TOO_LARGE" } });
    expect(await call("a", { n: 1 })).toMatchObject({ kind: "answer" });
  });

  // @proves mcp.limits.toolset-body-stricter
  test("with more bytes than its toolset takes is refused, and another toolset takes as many", async () => {
    const toolsets = [
      { name: "strict", tools: [tool("a")], argumentBytes: 20 },
      { name: "s", tools: [tool("b")] },
    ];
    const { call } = setUp(toolsets);
    const long = { n: 1, note: "äöüäöüäöü" };
    expect(await call("a", long)).toMatchObject({ kind: "error", error: { code: "ARGUMENTS_TOO_LARGE" } });
    expect(await call("b", long)).not.toMatchObject({ error: { code: "ARGUMENTS_TOO_LARGE" } });
    expect(await call("a", { n: 1 })).toMatchObject({ kind: "answer" });
    expect(await call("a", undefined)).not.toMatchObject({ error: { code: "ARGUMENTS_TOO_LARGE" } });
  });

  test("that fails in its own way has its toolset's form", async () => {
    const fails = tool("a", {
      handler: () => {
        throw new SteadingError("NO_ZONE", "There is no such zone.", {
          hint: "Ask for the list.",
          details: { zone: 3 },
        });
      },
    });
    const plain = await setUp([{ name: "s", tools: [fails] }]).call("a");
    expect(plain.kind === "error" && JSON.parse(plain.text)).toEqual({
      error: "There is no such zone.",
      code: "NO_ZONE",
      hint: "Ask for the list.",
      zone: 3,
    });
    const own = await setUp([{ name: "s", tools: [fails], errorJson: ({ code }) => ({ ok: false, code }) }]).call("a");
    expect(own.kind === "error" && own.text).toBe('{"ok":false,"code":"NO_ZONE"}');
  });

  // @proves kernel.error.unknown-exception-generic kernel.error.unknown-exception-log-reference
  test("that fails in an unknown way tells a reference and nothing else", async () => {
    for (const thrown of [new Error("password is hunter2"), "hunter2", { hunter2: true }, undefined]) {
      const { call, logged } = setUp([
        {
          name: "s",
          tools: [
            tool("a", {
              handler: () => Promise.reject(thrown as Error), // a handler may throw anything
            }),
          ],
        },
      ]);
      const result = await call("a");
      expect(result).toMatchObject({ kind: "error", error: { code: "INTERNAL" } });
      const { text = "", error } = result.kind === "error" ? result : {};
      expect(text).not.toContain("hunter2");
      const ref = error?.details?.["ref"];
      expect(text).toContain(ref);
      expect(logged.find(({ fields }) => fields?.["ref"] === ref)?.cause).toBe(thrown);
    }
  });

  test("that answers with something else than its schema says is our fault; what was done is still told", async () => {
    const output = z.object({ n: z.number() });
    const { call, dispatcher, logged } = setUp([
      {
        name: "s",
        tools: [
          tool("read", { output, handler: () => ({ n: "three" }) }),
          tool("write", { output, intent: "MUTATE", handler: () => ({ n: "three" }) }),
          tool("bad", { handler: () => [1] }),
        ],
      },
    ]);
    expect(await call("read")).toMatchObject({ kind: "error", error: { code: "INTERNAL" } });
    expect(await call("write")).toMatchObject({ kind: "answer", structured: { n: "three" } });
    expect(await call("bad")).toMatchObject({ kind: "error", error: { code: "INTERNAL" } });
    expect(dispatcher.counters.misfits).toBe(2);
    expect(logged.filter(({ level }) => level === "error")).toHaveLength(3);
  });

  test("whose toolset cannot put its error into words is still answered", async () => {
    const { call } = setUp([
      {
        name: "s",
        tools: [tool("a")],
        errorJson() {
          throw new Error("no words");
        },
      },
    ]);
    expect(await call("a", { m: 1 })).toMatchObject({ kind: "error", error: { code: "INTERNAL" } });
  });

  test("that takes too long is answered in time and told to stop", async () => {
    let stopped: unknown;
    const slow = (over: object) =>
      tool("slow", {
        ...over,
        handler: (_input: unknown, { signal }: ToolContext) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              stopped = signal.reason;
              reject(new Error("stopped"));
            });
          }),
      });
    for (const [over, wait] of [
      [{}, seconds(30)],
      [{ deadline: seconds(2) }, seconds(2)],
    ] as const) {
      const { call, clock, dispatcher } = setUp([{ name: "s", tools: [slow(over)] }]);
      const calling = call("slow");
      await clock.advance(millis(wait - 1));
      expect(dispatcher.counters.running).toBe(1);
      await clock.advance(millis(1));
      expect(await calling).toMatchObject({ kind: "error", error: { code: "TIMEOUT", retryable: true } });
      expect(stopped).toMatchObject({ code: "TIMEOUT" });
      expect(clock.pending).toBe(0);
      expect(dispatcher.counters).toMatchObject({ running: 0, timeouts: 1 });
    }
  });

  test("whose caller went away ends with it", async () => {
    const { call, clock } = setUp([{ name: "s", tools: [tool("slow", { handler: () => new Promise(() => {}) })] }]);
    const leaving = new AbortController();
    const calling = call("slow", {}, { signal: leaving.signal });
    leaving.abort();
    expect(await calling).toMatchObject({ kind: "error", error: { code: "CANCELLED" } });
    expect(await call("slow", {}, { signal: leaving.signal })).toMatchObject({ error: { code: "CANCELLED" } });
    expect(clock.pending).toBe(0);
  });

  // @proves kernel.effect.reads-counted kernel.effect.reads-not-journaled
  test("that reads is counted and leaves no record", async () => {
    const { call, dispatcher, ledger } = setUp([{ name: "s", tools: [tool("a")] }]);
    await call("a");
    await call("a");
    expect(dispatcher.counters).toMatchObject({ reads: 2, mutations: 0 });
    expect([ledger.lastSeq("audit"), ledger.lastSeq("runs"), ledger.lastSeq("bus")]).toEqual([0, 0, 0]);
  });
});

describe("effects of a tool", () => {
  function withSwitch(over: object = {}, asked: object = {}) {
    const toolset = { name: "s", tools: [] as Tool[] };
    const base = setUp([toolset]);
    const relay = createTrialRelay(base);
    toolset.tools.push(
      tool("switch", {
        input: z.object({ on: z.boolean() }),
        intent: "MUTATE",
        minimumRole: "operator",
        async handler({ on }: { on: boolean }, context: ToolContext) {
          const { tool: _t, caller: _c, minimumRole: _m, confirm: _f, ...effect } = relay.effect(on);
          const outcome = await context.perform({ ...effect, toward: "live", ...asked });
          return { on, receipt: receiptJson(outcome.receipt), replayed: outcome.replayed ?? false };
        },
        ...over,
      }),
    );
    const dispatcher = createDispatcher({ toolsets: [toolset], door: base.door, clock: base.clock, log: quiet });
    const call = (given: object, more: Partial<CallRequest> = {}) =>
      dispatcher.call({ tool: "switch", arguments: given, caller: trialCaller(), ...more });
    return { ...base, relay, call, dispatcher };
  }
  const quiet = createTrialLog().log;

  // @proves kernel.receipt.in-every-mutate-answer kernel.dispatcher.only-way-to-run-a-tool
  // @proves kernel.effect.same-door-for-every-caller
  test("go through the door as this tool, this caller and this key", async () => {
    const { call, door, relay } = withSwitch();
    const first = await call({ on: true, idempotency_key: "k1" });
    const again = await call({ on: true, idempotency_key: "k1" });
    expect(first).toMatchObject({
      structured: { on: true, receipt: { stage: "observed", observed: true }, replayed: false },
    });
    expect(again).toMatchObject({ structured: { replayed: true } });
    expect(await call({ on: false, idempotency_key: "k1" })).toMatchObject({ error: { code: "CONFLICT" } });
    expect(relay.sends).toBe(1);
    expect(door.actions()).toMatchObject([{ tool: "switch", principal: "anna" }]);
  });

  test("take the stricter of the tool's and the effect's role and confirmation", async () => {
    const strict = withSwitch({}, { minimumRole: "admin" });
    expect(await strict.call({ on: true })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
    const looser = withSwitch({ confirm: "approve" }, { minimumRole: "viewer", confirm: "plain" });
    expect(await looser.call({ on: true })).toMatchObject({
      error: { code: "CONFIRMATION_REQUIRED", details: { confirm: "approve" } },
    });
    const asks = withSwitch({ acceptsApproval: true }, { confirm: "confirm" });
    const refused = await asks.call({ on: true });
    expect(refused).toMatchObject({ error: { code: "CONFIRMATION_REQUIRED" } });
    const approval = refused.kind === "error" ? refused.error.details?.["approval"] : undefined;
    expect(await asks.call({ on: true, approval })).toMatchObject({ structured: { receipt: { stage: "observed" } } });
    expect(strict.relay.sends + looser.relay.sends).toBe(0);
  });

  test("go on by themselves when the call runs out of time", async () => {
    const { call, clock, relay, door } = withSwitch({ deadline: seconds(1) });
    relay.delay = seconds(3);
    const calling = call({ on: true });
    await clock.advance(seconds(1));
    expect(await calling).toMatchObject({ error: { code: "TIMEOUT", retryable: false } });
    expect(door.actions()).toMatchObject([{ receipt: { stage: "requested" } }]);
    await clock.advance(seconds(5));
    expect(door.actions()).toMatchObject([{ receipt: { stage: "observed" } }]);
    expect(relay.sends).toBe(1);
  });

  test("of one call have places of their own under its key", async () => {
    const trial = createTrialDoor();
    const { clock } = trial;
    const relays = ["r1", "r2"].map((name) => createTrialRelay(trial, name));
    const both = tool("both", {
      intent: "MUTATE",
      async handler(_input: unknown, context: ToolContext) {
        const stages: string[] = [];
        for (const relay of relays) {
          const { tool: _t, caller: _c, minimumRole: _m, confirm: _f, ...effect } = relay.effect(true);
          const { receipt, replayed } = await context.perform(effect);
          stages.push(`${receipt.stage}${replayed === true ? " again" : ""}`);
        }
        return { stages };
      },
    });
    const dispatcher = createDispatcher({
      toolsets: [{ name: "s", tools: [both] }],
      door: trial.door,
      clock,
      log: quiet,
    });
    const call = () => dispatcher.call({ tool: "both", arguments: { idempotency_key: "k" }, caller: trialCaller() });
    expect(await call()).toMatchObject({ structured: { stages: ["observed", "observed"] } });
    expect(await call()).toMatchObject({ structured: { stages: ["observed again", "observed again"] } });
    expect(relays.map(({ sends }) => sends)).toEqual([1, 1]);
  });
});
