import { expect, test } from "vitest";
import { createActionResources } from "./action-resources.ts";
import { createActionTools } from "./action-tools.ts";
import { createDispatcher } from "./create-dispatcher.ts";
import { silentLog } from "./log.ts";
import { createTrialDoor, createTrialRelay, trialCaller } from "./testing/index.ts";

async function setUp() {
  const trial = createTrialDoor();
  const relay = createTrialRelay(trial);
  const toolsets = [createActionTools(trial)];
  const dispatcher = createDispatcher({ toolsets, door: trial.door, clock: trial.clock, log: silentLog });
  const call = (tool: string, given: object) =>
    dispatcher.call({ tool, arguments: given, caller: trialCaller({ role: "viewer" }) });
  const done = await trial.door.perform(relay.effect(true));
  relay.mood = "breaks";
  const lost = await trial.door.perform(relay.effect(false));
  return { ...trial, call, done: done.receipt.action, lost: lost.receipt.action, dispatcher };
}

// @proves kernel.receipt.get-action-tells-outcome kernel.receipt.action-resource-tells-outcome
// @proves kernel.time.each-contract-own-form-on-wire
test("get_action and the resource tell the same about an action", async () => {
  const { call, done, lost, door, clock } = await setUp();
  const answer = await call("get_action", { id: done });
  expect(answer).toMatchObject({
    kind: "answer",
    structured: {
      id: done,
      tool: "switch_relay",
      in_doubt: false,
      requested_at: "2026-01-01T00:00:00.000Z",
      receipt: { action: done, stage: "observed", at: new Date(clock.now()).toISOString(), observed: true },
      before: false,
    },
  });
  const resource = await createActionResources({ door }).read(`steading://actions/${done}`, trialCaller());
  expect(resource?.text).toBe(answer.kind === "answer" ? answer.text : "");
  expect(await call("get_action", { id: lost })).toMatchObject({
    structured: { in_doubt: true, receipt: { stage: "unknown" }, error: { code: "LINE_BROKE" } },
  });
});

test("an id that nobody knows is a clear error", async () => {
  const { call, door } = await setUp();
  expect(await call("get_action", { id: "nothing" })).toMatchObject({
    kind: "error",
    error: { code: "ACTION_UNKNOWN" },
  });
  expect(await createActionResources({ door }).read("steading://actions/nothing", trialCaller())).toBeUndefined();
  expect(await createActionResources({ door }).read("steading://other", trialCaller())).toBeUndefined();
});

// @proves kernel.bounds.cut-is-flagged
test("list_actions is newest first, can ask for those in doubt, and says when it was cut", async () => {
  const { call, done, lost } = await setUp();
  expect(await call("list_actions", {})).toMatchObject({
    structured: { actions: [{ id: lost }, { id: done }], count: 2, cut: false },
  });
  expect(await call("list_actions", { in_doubt: true })).toMatchObject({
    structured: { actions: [{ id: lost }], count: 1 },
  });
  expect(await call("list_actions", { limit: 1 })).toMatchObject({
    structured: { actions: [{ id: lost }], count: 1, cut: true },
  });
});

test("the names are get_action and list_actions, and get_action is essential", async () => {
  const { dispatcher } = await setUp();
  expect(dispatcher.tools({ kind: "all" }, "viewer").map(({ name }) => name)).toEqual(["get_action", "list_actions"]);
  expect(dispatcher.tools({ kind: "essential" }, "viewer").map(({ name }) => name)).toEqual(["get_action"]);
});

test("the resource list is paged and its watchers hear of outcomes", async () => {
  const trial = createTrialDoor();
  const relay = createTrialRelay(trial);
  const resources = createActionResources(trial);
  const heard: string[] = [];
  const cancel = resources.onUpdated?.((uri) => heard.push(uri));
  const uris = [];
  for (let i = 0; i < 3; i += 1)
    uris.unshift(`steading://actions/${(await trial.door.perform(relay.effect(true))).receipt.action}`);
  const first = resources.list(trialCaller(), { limit: 2 }).map(({ uri }) => uri);
  expect(first).toEqual(uris.slice(0, 2));
  expect(resources.list(trialCaller(), { after: first[1] ?? "", limit: 2 }).map(({ uri }) => uri)).toEqual(
    uris.slice(2),
  );
  expect(heard.toReversed()).toEqual(uris);
  cancel?.();
});
