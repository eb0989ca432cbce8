import { randomBytes } from "node:crypto";
import { createRealClock, hours, minutes, seconds } from "@steading/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pick, post, type Posted, type PostOptions } from "../testing/post.ts";
import { createSluiceTools, type SluiceTools } from "../testing/sluice-tools.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createRequestState } from "./request-state.ts";

let sluice: SluiceTools;
let shell: TestShell;
let operator: string;
const stateKey = randomBytes(32);

beforeEach(async () => {
  sluice = createSluiceTools();
  shell = await start(sluice);
  operator = (await shell.tokens.create({ principal: "otto", role: "operator", label: "test" })).token;
});
afterEach(() => shell.close());

function start({ dispatcher, approvals }: SluiceTools): Promise<TestShell> {
  // A manual clock for the shell would hold back the questions of long calls, and the door has its own.
  return startShell({ dispatcher, approvals, stateKey, clock: createRealClock() });
}

const forms = { elicitation: { form: {} } };
const yes = { confirm: { action: "accept", content: { confirm: true } } };
const open = { name: "open_sluice", arguments: { percent: 40 } };

function call(params: Record<string, unknown>, options: PostOptions = {}): Promise<Posted> {
  return post(shell.mcp, "tools/call", params, { token: shell.admin, capabilities: forms, ...options });
}
const stateOf = ({ body }: Posted): string => pick<string>(body, "result", "requestState");
const errorOf = ({ body }: Posted): Record<string, unknown> =>
  JSON.parse(pick<string>(body, "result", "content", 0, "text")) as Record<string, unknown>;

// @proves mcp.confirm.input-required mcp.confirm.accept-executes mcp.confirm.form-flat mcp.confirm.form-no-secrets
test("a 2026 client is asked with a form, and its yes carries the call out", async () => {
  const asked = await call(open, { id: 1 });
  expect(asked.status).toBe(200);
  expect(pick(asked.body, "result")).toMatchObject({
    resultType: "input_required",
    inputRequests: {
      confirm: {
        method: "elicitation/create",
        params: {
          message: "Open the sluice to 40 %. Go ahead?",
          requestedSchema: { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] },
        },
      },
    },
  });
  expect(sluice.opened).toEqual([]);
  const done = await call({ ...open, inputResponses: yes, requestState: stateOf(asked) }, { id: 2 });
  expect(done).toMatchObject({ body: { result: { resultType: "complete", structuredContent: { percent: 40 } } } });
  expect(sluice.opened).toEqual([40]);
});

// @proves mcp.confirm.nonce-burned
test("a confirmed state is used up: sent again it carries nothing out", async () => {
  const requestState = stateOf(await call(open));
  await call({ ...open, inputResponses: yes, requestState });
  const again = await call({ ...open, inputResponses: yes, requestState });
  expect(errorOf(again)).toMatchObject({ code: "APPROVAL_USED" });
  expect(sluice.opened).toEqual([40]);
});

test("of many equal answers at once exactly one carries it out", async () => {
  const requestState = stateOf(await call(open));
  const all = await Promise.all(Array.from({ length: 8 }, () => call({ ...open, inputResponses: yes, requestState })));
  expect(sluice.opened).toEqual([40]);
  expect(all.filter(({ body }) => pick(body, "result", "isError") !== true)).toHaveLength(1);
});

// @proves mcp.confirm.other-arguments-ask-again mcp.confirm.state-bound-to-tool
test.each([
  ["other arguments", { ...open, arguments: { percent: 100 } }, "Open the sluice to 100 %. Go ahead?"],
  ["another tool", { ...open, name: "other_sluice" }, "Open the sluice to 40 %. Go ahead?"],
])("a yes brought along with %s is none: the call is asked about for itself", async (_, altered, message) => {
  const requestState = stateOf(await call(open));
  const asked = await call({ ...altered, inputResponses: yes, requestState });
  expect(pick(asked.body, "result", "inputRequests", "confirm", "params", "message")).toBe(message);
  expect(stateOf(asked)).not.toBe(requestState);
  expect(sluice.opened).toEqual([]);
});

// @proves mcp.confirm.digest-of-validated-arguments
test("arguments that mean the same stay confirmed, however they are spelt", async () => {
  const requestState = stateOf(await call(open));
  await call({ ...open, arguments: { note: "", percent: 4e1 }, inputResponses: yes, requestState });
  expect(sluice.opened).toEqual([40]);
});

// @proves mcp.confirm.decline-ends mcp.confirm.cancel-ends
test.each([
  ["decline", { action: "decline" }],
  ["cancel", { action: "cancel" }],
  ["accepting the form with a no in it", { action: "accept", content: { confirm: false } }],
])("%s ends the call for good", async (_, confirm) => {
  const requestState = stateOf(await call(open));
  const declined = await call({ ...open, inputResponses: { confirm }, requestState });
  expect(declined).toMatchObject({ body: { result: { resultType: "complete", isError: true } } });
  expect(errorOf(declined)).toMatchObject({ code: "APPROVAL_DECLINED" });
  expect(errorOf(await call({ ...open, inputResponses: yes, requestState }))).toMatchObject({
    code: "APPROVAL_DECLINED",
  });
  expect(sluice.opened).toEqual([]);
});

// @proves mcp.confirm.missing-answer-asks-again mcp.confirm.wrong-answer-asks-again
test.each([
  ["no answers", undefined],
  ["an answer to something else", { other: { action: "accept", content: { confirm: true } } }],
  ["an empty form", { confirm: { action: "accept", content: {} } }],
  ["a word instead of a yes", { confirm: { action: "accept", content: { confirm: "yes" } } }],
])("a retry with %s is asked again", async (_, inputResponses) => {
  const requestState = stateOf(await call(open));
  const asked = await call({ ...open, ...(inputResponses && { inputResponses }), requestState });
  expect(asked).toMatchObject({ body: { result: { resultType: "input_required" } } });
  expect(sluice.opened).toEqual([]);
  await call({ ...open, inputResponses: yes, requestState: stateOf(asked) });
  expect(sluice.opened).toEqual([40]);
});

test("a yes without a state is none", async () => {
  expect(await call({ ...open, inputResponses: yes })).toMatchObject({
    body: { result: { resultType: "input_required" } },
  });
  expect(sluice.opened).toEqual([]);
});

// @proves mcp.confirm.state-tampered mcp.confirm.state-bound-to-principal mcp.errors.request-state-invalid
test("an altered, invented or foreign state is refused before anything is looked at", async () => {
  const requestState = stateOf(await call(open));
  const refused = { status: 200, body: { error: { code: -32602, data: { reason: "invalid_request_state" } } } };
  for (const altered of [`${requestState.slice(0, -2)}AA`, `x${requestState}`, "invented"])
    expect(await call({ ...open, inputResponses: yes, requestState: altered })).toMatchObject(refused);
  expect(await call({ ...open, inputResponses: yes, requestState }, { token: operator })).toMatchObject(refused);
  const elsewhere = await createRequestState({}).mint({ approval: "x" }, contextOf("anna", "tools/call"));
  expect(await call({ ...open, inputResponses: yes, requestState: elsewhere })).toMatchObject(refused);
  expect(sluice.opened).toEqual([]);
});

// @proves mcp.confirm.state-bound-to-method
test("a state of another method is void", async () => {
  const [{ id } = { id: "" }] = (await call(open), sluice.approvals.pending());
  const state = createRequestState({ key: stateKey });
  const ofCall = await state.mint({ approval: id }, contextOf("anna", "tools/call"));
  const ofPrompt = await state.mint({ approval: id }, contextOf("anna", "prompts/get"));
  expect(await call({ ...open, inputResponses: yes, requestState: ofPrompt })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  expect(sluice.opened).toEqual([]);
  await call({ ...open, inputResponses: yes, requestState: ofCall });
  expect(sluice.opened, "the same by its own method").toEqual([40]);
});

/** As much of a request's context as a state is bound to. */
function contextOf(principal: string, method: string): Parameters<ReturnType<typeof createRequestState>["mint"]>[1] {
  const identity = { principal, role: "admin", transport: "http" };
  const context = { mcpReq: { method }, http: { authInfo: { extra: { identity } } } };
  return context as unknown as ReturnType<typeof contextOf>; // the rest is not looked at
}

// @proves mcp.confirm.state-expires
test("a state is void after five minutes", async () => {
  const requestState = stateOf(await call(open));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
  try {
    expect(await call({ ...open, inputResponses: yes, requestState })).toMatchObject({
      body: { error: { code: -32602 } },
    });
  } finally {
    vi.useRealTimers();
  }
  expect(sluice.opened).toEqual([]);
});

test("an approval that ran out carries nothing out, though its state would still hold", async () => {
  const requestState = stateOf(await call(open));
  await sluice.clock.advance(minutes(11));
  expect(errorOf(await call({ ...open, inputResponses: yes, requestState }))).toMatchObject({
    code: "APPROVAL_EXPIRED",
  });
  expect(sluice.opened).toEqual([]);
});

// @proves mcp.confirm.state-no-secrets
test("a state tells nothing but the approval's id", async () => {
  const [, body = ""] = /([^.]+)\.[^.]+$/.exec(stateOf(await call(open))) ?? [];
  const readable = Buffer.from(body, "base64url").toString("utf8");
  const [approval] = sluice.approvals.pending();
  expect(JSON.parse(readable)).toMatchObject({ p: { approval: approval?.id } });
  expect(Object.keys((JSON.parse(readable) as { p: object }).p)).toEqual(["approval"]);
  for (const secret of [shell.admin, "sluice", "percent", "anna"]) expect(readable).not.toContain(secret);
});

// @proves mcp.confirm.state-key-length
test("a signing key of less than 32 bytes is refused", () => {
  expect(() => createRequestState({ key: randomBytes(31) })).toThrow();
});

// @proves mcp.confirm.no-elicitation-two-steps mcp.confirm.capability-read-first mcp.confirm.never-by-default
test.each([
  ["nothing", {}],
  ["only URLs", { elicitation: { url: {} } }],
])(
  "a client that declares %s is told the approval's id and how to go on, and its second call executes",
  async (_, capabilities) => {
    const told = await call(open, { capabilities });
    expect(told).toMatchObject({ status: 200, body: { result: { resultType: "complete", isError: true } } });
    expect(pick(told.body, "result")).not.toHaveProperty("structuredContent");
    const { code, approval, hint } = errorOf(told);
    expect({ code, approval }).toEqual({ code: "CONFIRMATION_REQUIRED", approval: expect.any(String) });
    expect(hint).toContain(`steading approve ${String(approval)}`);
    expect(hint).toContain(`\`approval\` set to ${String(approval)}`);
    expect(sluice.opened).toEqual([]);
    await call({ ...open, arguments: { percent: 40, approval } }, { capabilities });
    expect(sluice.opened).toEqual([40]);
  },
);

test("a bare elicitation means forms", async () => {
  expect(await call(open, { capabilities: { elicitation: {} } })).toMatchObject({
    body: { result: { resultType: "input_required" } },
  });
});

// @proves mcp.confirm.top-class-second-channel mcp.confirm.top-class-other-principal
test("what somebody else must approve is never asked of the calling client, and its own yes counts for nothing", async () => {
  const blow = { name: "blow_dam", arguments: { percent: 100 } };
  const told = await call(blow);
  const { code, approval, hint } = errorOf(told);
  expect({ code, approval }).toEqual({ code: "CONFIRMATION_REQUIRED", approval: expect.any(String) });
  expect(hint).toContain(`steading approve ${String(approval)}`);
  expect(hint).toContain("decide_approval");

  const carried = { ...blow, arguments: { percent: 100, approval } };
  expect(errorOf(await call(carried))).toMatchObject({ code: "APPROVAL_PENDING" });
  const requestState = await createRequestState({ key: stateKey }).mint(
    { approval: String(approval) },
    contextOf("anna", "tools/call"),
  );
  expect(errorOf(await call({ ...blow, inputResponses: yes, requestState }))).toMatchObject({
    code: "APPROVAL_PENDING",
  });
  expect(sluice.opened).toEqual([]);

  const other = { principal: "otto", role: "operator", transport: "http", correlation: "c" } as const;
  await sluice.approvals.decide(String(approval), other, true);
  expect(sluice.opened, "deciding sends nothing").toEqual([]);
  await call(carried);
  expect(sluice.opened).toEqual([100]);
});

test("a tool reached through call_tool asks as if it had been called itself", async () => {
  const wrapped = { name: "call_tool", arguments: open };
  const asked = await call(wrapped);
  expect(pick(asked.body, "result", "resultType")).toBe("input_required");
  await call({ ...wrapped, inputResponses: yes, requestState: stateOf(asked) });
  expect(sluice.opened).toEqual([40]);

  const { approval } = errorOf(await call(wrapped, { capabilities: {} }));
  await call({ name: "call_tool", arguments: { ...open, approval } }, { capabilities: {} });
  expect(sluice.opened).toEqual([40, 40]);
});

// @proves mcp.confirm.key-survives-restart mcp.pitfalls.retry-in-other-process
test("a question asked before a restart is answered after it, and only once", async () => {
  const requestState = stateOf(await call(open));
  await shell.close();
  const second = createSluiceTools({ ledger: sluice.ledger, clock: sluice.clock });
  shell = await start(second);
  const done = await call({ ...open, inputResponses: yes, requestState });
  expect(done).toMatchObject({ body: { result: { structuredContent: { percent: 40 } } } });
  expect(errorOf(await call({ ...open, inputResponses: yes, requestState }))).toMatchObject({ code: "APPROVAL_USED" });
  expect([sluice.opened, second.opened]).toEqual([[], [40]]);
});

// @proves mcp.tasks.confirm-before-creation
test("a client that takes tasks is asked before there is one", async () => {
  const capabilities = { ...forms, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const slowly = { name: "open_slowly", arguments: { percent: 5 } };
  const asked = await call(slowly, { capabilities });
  expect(asked).toMatchObject({ body: { result: { resultType: "input_required" } } });
  expect(pick(asked.body, "result")).not.toHaveProperty("taskId");
  await call({ ...slowly, inputResponses: yes, requestState: stateOf(asked) }, { capabilities });
  expect(sluice.opened).toEqual([5]);
});

test("one that asks only after it became a task ends that with the approval's id", async () => {
  const manual = sluice.clock;
  await shell.close();
  shell = await startShell({ dispatcher: sluice.dispatcher, approvals: sluice.approvals, stateKey, clock: manual });
  const capabilities = { ...forms, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const running = call({ name: "ponder_then_open", arguments: { percent: 5 } }, { capabilities });
  await expect.poll(() => sluice.dispatcher.counters.running).toBe(1);
  await manual.advance(seconds(1));
  const taskId = pick<string>((await running).body, "result", "taskId");
  expect(taskId).toEqual(expect.any(String));
  await manual.advance(hours(0.5));
  const get = () => post(shell.mcp, "tasks/get", { taskId }, { token: shell.admin, capabilities });
  await expect.poll(async () => pick((await get()).body, "result", "status")).toBe("completed");
  const result = pick<Record<string, unknown>>((await get()).body, "result", "result");
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain("CONFIRMATION_REQUIRED");
  expect(sluice.opened).toEqual([]);
});
