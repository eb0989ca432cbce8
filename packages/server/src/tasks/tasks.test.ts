import { createManualClock, createMemoryLedger, hours, minutes, SteadingError, type Ledger } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { openEvents } from "../testing/event-stream.ts";
import { pick, post, type PostOptions } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** A shell with a tool whose work may take an hour, and what ends it. */
async function withLongTool() {
  const controls = { finish: (): void => {}, fail: (_: Error): void => {} };
  shell = await startShell();
  shell.dispatcher.add({
    name: "dig",
    deadline: hours(1),
    run: (_, { signal }) =>
      new Promise((resolve, reject) => {
        controls.finish = () => resolve({ dug: true });
        controls.fail = reject;
        signal.addEventListener("abort", () => reject(new SteadingError("CANCELLED", "Stopped digging.")), {
          once: true,
        });
      }),
  });
  return { at: shell, controls };
}
const ask = (at: TestShell, method: string, params: Record<string, unknown>, options: PostOptions = {}) =>
  post(at.mcp, method, params, { token: at.admin, capabilities, ...options });

// @proves mcp.tasks.created-shape mcp.tasks.readable-at-once mcp.tasks.get-shape mcp.tasks.id-entropy mcp.tasks.integer-milliseconds mcp.tasks.no-legacy-members mcp.result.type-task mcp.methods.tasks-served mcp.deadline.five-minutes
test("work that may take longer than a call is answered with a task that can be read until it is done", async () => {
  const { at, controls } = await withLongTool();
  const created = pick<Record<string, unknown>>((await ask(at, "tools/call", { name: "dig" })).body, "result");
  expect(Object.keys(created).toSorted()).toEqual([
    "_meta",
    "createdAt",
    "lastUpdatedAt",
    "pollIntervalMs",
    "resultType",
    "status",
    "taskId",
    "ttlMs",
  ]);
  expect(created).toMatchObject({
    resultType: "task",
    status: "working",
    ttlMs: 3_600_000,
    pollIntervalMs: 1_000,
    createdAt: new Date(at.clock.now()).toISOString(),
  });
  expect(created["taskId"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  const taskId = String(created["taskId"]);
  expect(await ask(at, "tasks/get", { taskId })).toMatchObject({
    status: 200,
    body: { result: { resultType: "complete", taskId, status: "working" } },
  });
  controls.finish();
  expect(await ask(at, "tasks/get", { taskId })).toMatchObject({
    body: { result: { status: "completed", result: { resultType: "complete", structuredContent: { dug: true } } } },
  });
});

// @proves mcp.tasks.is-error-completed mcp.tasks.failed-only-for-faults
test("a tool's own error completes its task", async () => {
  const { at, controls } = await withLongTool();
  const taskId = pick<string>((await ask(at, "tools/call", { name: "dig" })).body, "result", "taskId");
  controls.fail(new SteadingError("ROCK", "Hit a rock."));
  expect(await ask(at, "tasks/get", { taskId })).toMatchObject({
    body: { result: { status: "completed", result: { isError: true } } },
  });
});

// @proves mcp.tasks.cancel-empty-result mcp.tasks.cancel-idempotent mcp.tasks.cancel-cooperative
test("cancelling is a wish that the work fulfils, and may be repeated", async () => {
  const { at } = await withLongTool();
  const taskId = pick<string>((await ask(at, "tools/call", { name: "dig" })).body, "result", "taskId");
  for (let i = 0; i < 2; i++)
    expect(await ask(at, "tasks/cancel", { taskId })).toMatchObject({
      status: 200,
      body: { result: { resultType: "complete" } },
    });
  const after = await ask(at, "tasks/get", { taskId });
  expect(after).toMatchObject({ body: { result: { status: "cancelled" } } });
  expect(pick(after.body, "result")).not.toHaveProperty("result");
});

// @proves mcp.tasks.only-when-declared mcp.tasks.synchronous-otherwise
test("a client without the extension waits for its answer", async () => {
  const { at, controls } = await withLongTool();
  const running = ask(at, "tools/call", { name: "dig" }, { capabilities: {} });
  await expect.poll(() => at.dispatcher.calls.length).toBe(1);
  controls.finish();
  expect(await running).toMatchObject({
    body: { result: { resultType: "complete", structuredContent: { dug: true } } },
  });
});

test("a client without the extension is not kept waiting longer than five minutes", async () => {
  const { at } = await withLongTool();
  const running = ask(at, "tools/call", { name: "dig" }, { capabilities: {} });
  await expect.poll(() => at.dispatcher.calls.length).toBe(1);
  await at.clock.advance(minutes(5));
  const answer = await running;
  expect(answer).toMatchObject({ body: { result: { isError: true } } });
  expect(JSON.parse(pick(answer.body, "result", "content", 0, "text"))).toMatchObject({ code: "CALL_TOO_LONG" });
  expect(at.dispatcher.calls[0]?.signal?.aborted).toBe(true);
});

// @proves mcp.tasks.methods-need-capability mcp.tasks.unknown-id mcp.errors.unknown-task mcp.tasks.foreign-id mcp.tasks.expired-id mcp.tasks.kept-one-hour mcp.auth.session-and-task-owner
test("a task is there for its owner, with the extension, for an hour", async () => {
  const { at, controls } = await withLongTool();
  const taskId = pick<string>((await ask(at, "tools/call", { name: "dig" })).body, "result", "taskId");
  controls.finish();
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    expect(await ask(at, method, { taskId }, { capabilities: {} })).toMatchObject({
      status: 400,
      body: { error: { code: -32021 } },
    });
    expect(await ask(at, method, { taskId: "nobody" })).toMatchObject({
      status: 200,
      body: { error: { code: -32602 } },
    });
    expect(await ask(at, method, { taskId }, { token: at.viewer })).toMatchObject({
      status: 200,
      body: { error: { code: -32602 } },
    });
  }
  await at.clock.advance(minutes(59));
  expect(await ask(at, "tasks/get", { taskId })).toMatchObject({ body: { result: { status: "completed" } } });
  await at.clock.advance(minutes(1));
  expect(await ask(at, "tasks/get", { taskId })).toMatchObject({ body: { error: { code: -32602 } } });
});

// @proves mcp.request.name-header-task
test("the task's id must be in the header too", async () => {
  shell = await startShell();
  const answer = await ask(shell, "tasks/get", { taskId: "x" }, { headers: { "mcp-name": undefined } });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
});

// @proves mcp.tasks.notification-shape mcp.listen.task-ids-honoured mcp.listen.task-owner
test("a listener that named its own task hears the whole of each change", async () => {
  const { at, controls } = await withLongTool();
  const taskId = pick<string>((await ask(at, "tools/call", { name: "dig" })).body, "result", "taskId");
  const listen = (token: string) =>
    openEvents(at.mcp, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: "L",
        method: "subscriptions/listen",
        params: {
          notifications: { taskIds: [taskId, "foreign"] },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
          },
        },
      }),
    });
  const [own, other] = [await listen(at.admin), await listen(at.viewer)];
  expect(await own.message()).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
  expect(await other.message()).toMatchObject({ params: { notifications: {} } });
  controls.finish();
  expect(await own.message()).toMatchObject({
    method: "notifications/tasks",
    params: {
      taskId,
      status: "completed",
      result: { structuredContent: { dug: true } },
      _meta: { "io.modelcontextprotocol/subscriptionId": "L" },
    },
  });
});

test("one principal cannot keep more tasks than its share", async () => {
  shell = await startShell({ limits: { tasksPerPrincipal: 1 } });
  shell.dispatcher.add({ name: "dig", deadline: hours(1), run: () => ({ dug: true }) });
  expect(await ask(shell, "tools/call", { name: "dig" })).toMatchObject({ body: { result: { resultType: "task" } } });
  const refused = await ask(shell, "tools/call", { name: "dig" });
  expect(JSON.parse(pick(refused.body, "result", "content", 0, "text"))).toMatchObject({ code: "TOO_MANY_TASKS" });
});

test("a ledger that takes nothing stops no task, and the door decides what may still happen", async () => {
  const memory = createMemoryLedger({ clock: createManualClock() });
  const full = new SteadingError("STORE_FULL", "The disk is full.");
  const ledger: Ledger = { ...memory, get: memory.get, list: memory.list, commit: () => Promise.reject(full) };
  shell = await startShell({ ledger, limits: { tasksPerPrincipal: 2 } });
  let stopped = 0;
  shell.dispatcher.add({ name: "stop", deadline: hours(1), intent: "MUTATE", run: () => ({ stopped: ++stopped }) });
  const taskId = pick<string>((await ask(shell, "tools/call", { name: "stop" })).body, "result", "taskId");
  expect(await ask(shell, "tasks/get", { taskId })).toMatchObject({
    body: { result: { status: "completed", result: { structuredContent: { stopped: 1 } } } },
  });
  expect(shell.server.metrics()).toMatch(/^steading_mcp_tasks_unwritten_total 2$/m);
});

test.each([
  ["a tool that acts", "MUTATE" as const, false],
  ["a tool that reads", "READ_ONLY" as const, true],
])("%s and takes too long is told to be repeated only where that is harmless", async (_, intent, retryable) => {
  shell = await startShell();
  shell.dispatcher.add({ name: "slow", deadline: hours(1), intent, run: () => new Promise(() => {}) });
  const running = ask(shell, "tools/call", { name: "slow" }, { capabilities: {} });
  await expect.poll(() => shell?.dispatcher.calls.length).toBe(1);
  await shell.clock.advance(minutes(5));
  const told = JSON.parse(pick((await running).body, "result", "content", 0, "text")) as Record<string, unknown>;
  expect([told["code"], told["retryable"] === true]).toEqual(["CALL_TOO_LONG", retryable]);
  if (!retryable) expect(told["hint"]).toContain("list_actions");
});

// @proves mcp.tasks.persisted
test("a task that acts can be read after a restart: its result, or that nobody can tell", async () => {
  const ledger = createMemoryLedger({ clock: createManualClock() });
  const hub = async () => {
    const started = await startShell({ ledger });
    started.dispatcher.add(
      { name: "act", deadline: hours(1), intent: "MUTATE", run: () => ({ acted: true }) },
      { name: "act.slowly", deadline: hours(1), intent: "MUTATE", run: () => new Promise(() => {}) },
      { name: "look", deadline: hours(1), run: () => ({ looked: true }) },
    );
    return started;
  };
  const first = await hub();
  const ids: string[] = [];
  for (const name of ["act", "act.slowly", "look"])
    ids.push(pick<string>((await ask(first, "tools/call", { name })).body, "result", "taskId"));
  await first.close();

  shell = await hub();
  const read = async (taskId: string | undefined) => (await ask(shell as TestShell, "tasks/get", { taskId })).body;
  expect(await read(ids[0])).toMatchObject({
    result: { status: "completed", result: { structuredContent: { acted: true } } },
  });
  expect(await read(ids[1])).toMatchObject({ result: { status: "failed", error: { code: -32603 } } });
  expect(await read(ids[2])).toMatchObject({ error: { code: -32602 } });
});
