import { createManualClock, hours, seconds, silentLog } from "@steading/kernel";
import { ProtocolError } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createPlaces } from "../limits/places.ts";
import { createTaskStore, type NewTask, type TaskStore } from "./task-store.ts";
import type { TaskView } from "./task-view.ts";

function setUp(): {
  store: TaskStore;
  seen: TaskView[];
  start(run: NewTask["run"]): Promise<string>;
  read(id: string): TaskView | undefined;
} {
  const clock = createManualClock();
  const store = createTaskStore({
    places: createPlaces({ total: 9, perPrincipal: 9 }),
    age: hours(1),
    poll: seconds(1),
    clock,
    log: silentLog,
  });
  const seen: TaskView[] = [];
  store.onChange((task) => seen.push(task));
  return {
    store,
    seen,
    async start(run) {
      const id = (await store.create({ principal: "anna", run }))?.taskId ?? "";
      await settled();
      return id;
    },
    read: (id) => store.get(id, "anna"),
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

// @proves mcp.tasks.answered-keys-vanish mcp.tasks.waits-for-all-answers mcp.tasks.states
test("a task waits until all of its questions are answered", async () => {
  const { store, start, read, seen } = setUp();
  const id = await start(async ({ ask }) => {
    const answers = await Promise.all([ask("a", { q: 1 }), ask("b", { q: 2 })]);
    return { content: answers };
  });
  expect(read(id)).toMatchObject({ status: "input_required", inputRequests: { a: { q: 1 }, b: { q: 2 } } });
  store.answer(id, "anna", { a: "yes", nonsense: 1 });
  expect(read(id)).toMatchObject({ status: "input_required", inputRequests: { b: { q: 2 } } });
  expect(read(id)?.inputRequests).not.toHaveProperty("a");
  store.answer(id, "anna", { b: "no" });
  expect(read(id)).toMatchObject({ status: "working" });
  await settled();
  expect(read(id)).toMatchObject({ status: "completed", result: { content: ["yes", "no"] } });
  expect(seen.map(({ status }) => status)).toEqual([
    "input_required",
    "input_required",
    "input_required",
    "working",
    "completed",
  ]);
});

// @proves mcp.tasks.input-keys-unique
test("a key cannot be asked twice in the life of a task", async () => {
  const { store, start, read } = setUp();
  const id = await start(async ({ ask }) => {
    await ask("a", {});
    await ask("a", {});
    return {};
  });
  store.answer(id, "anna", { a: 1 });
  await settled();
  expect(read(id)).toMatchObject({ status: "failed" });
});

test("a fault of the protocol fails the task with its own code, any other with a general sentence", async () => {
  const { start, read } = setUp();
  const protocol = await start(() => Promise.reject(new ProtocolError(-32603, "Known.")));
  expect(read(protocol)).toMatchObject({ status: "failed", error: { code: -32603, message: "Known." } });
  const secret = await start(() => Promise.reject(new Error("a secret path")));
  expect(JSON.stringify(read(secret))).not.toContain("secret");
});

test("a question nobody answers ends with the task's cancellation", async () => {
  const { store, start, read } = setUp();
  const id = await start(async ({ ask }) => ({ content: [await ask("a", {})] }));
  store.cancel(id, "anna");
  await settled();
  expect(read(id)).toMatchObject({ status: "cancelled" });
});

test("work that was done before it noticed the cancellation tells what it did", async () => {
  const { store, start, read } = setUp();
  let finish = (): void => {};
  const id = await start(() => new Promise((resolve) => (finish = () => resolve({ content: ["done"] }))));
  store.cancel(id, "anna");
  expect(read(id)).toMatchObject({ status: "working" });
  finish();
  await settled();
  expect(read(id)).toMatchObject({ status: "completed", result: { content: ["done"] } });
});
