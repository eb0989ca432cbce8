import { expect, test } from "vitest";
import * as z from "zod";
import { createDispatcher } from "./create-dispatcher.ts";
import { defineTool } from "./define-tool.ts";
import { SteadingError } from "./steading-error.ts";
import { createTrialDoor, createTrialLog, trialCaller } from "./testing/index.ts";

const goesOn = "What was sent goes on; `list_actions` tells what became of it. Repeat only with the same key.";

function setUp() {
  const { door, clock } = createTrialDoor();
  const endless = (name: string, intent: "READ_ONLY" | "MUTATE") =>
    defineTool({
      name,
      title: name,
      summary: `Does ${name}.`,
      input: z.object({}),
      intent,
      minimumRole: "viewer",
      handler: () => new Promise<never>(() => {}),
    });
  const toolsets = [{ name: "s", tools: [endless("write", "MUTATE"), endless("read", "READ_ONLY")] }];
  const dispatcher = createDispatcher({ toolsets, door, clock, log: createTrialLog().log });
  return (tool: string, signal: AbortSignal) => dispatcher.call({ tool, arguments: {}, caller: trialCaller(), signal });
}

test.each([
  [undefined, { code: "CANCELLED", message: "The call was cancelled while it was under way." }],
  [new SteadingError("SHUT", "The hub stops.", { retryable: true }), { code: "SHUT", message: "The hub stops." }],
])("a call that may have sent something says so when it is cut off, whatever for (%#)", async (reason, expected) => {
  const call = setUp();
  const leaving = new AbortController();
  const writing = call("write", leaving.signal);
  const reading = call("read", leaving.signal);
  leaving.abort(reason);
  expect(await writing).toMatchObject({ error: { ...expected, retryable: false, hint: goesOn } });
  expect(await reading).toMatchObject({ error: { code: expected.code, retryable: true } });
});

test("a call that was cut off before it began may be repeated", async () => {
  const gone = await setUp()("write", AbortSignal.abort());
  const message = "The call was cancelled before anything was sent.";
  expect(gone).toMatchObject({ error: { code: "CANCELLED", message, retryable: true } });
});
