import { millis } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import type { Completer, PromptSource } from "./prompt-source.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const prompts: PromptSource = {
  list: () => [
    { name: "daily", title: "Daily round", arguments: [{ name: "room", required: true }, { name: "tone" }] },
    { name: "night", minimumRole: "admin" },
  ],
  get: async (name, given) => ({
    messages: [{ role: "user", content: { type: "text", text: `${name} ${given["room"] ?? ""}` } }],
  }),
};
const ask = (at: TestShell, method: string, params: Record<string, unknown>, token = at.admin) =>
  post(at.mcp, method, params, { token });

test("prompts are listed by role, and the list then is for its caller alone", async () => {
  shell = await startShell({ prompts: [prompts] });
  const viewer = await ask(shell, "prompts/list", {}, shell.viewer);
  expect(pick<{ name: string }[]>(viewer.body, "result", "prompts").map(({ name }) => name)).toEqual(["daily"]);
  expect(viewer).toMatchObject({ body: { result: { ttlMs: 60_000, cacheScope: "private" } } });
  expect(viewer.text).not.toContain("minimumRole");
  expect(await ask(shell, "prompts/get", { name: "night" }, shell.viewer)).toMatchObject({
    body: { error: { code: -32602 } },
  });
  expect(await ask(shell, "prompts/get", { name: "night" })).toMatchObject({ body: { result: { messages: [{}] } } });
});

// @proves mcp.prompts.missing-argument mcp.prompts.string-arguments
test("a prompt is refused without its required argument or with one that is no string", async () => {
  shell = await startShell({ prompts: [prompts] });
  expect(await ask(shell, "prompts/get", { name: "daily", arguments: { room: "kitchen" } })).toMatchObject({
    body: { result: { messages: [{ content: { text: "daily kitchen" } }] } },
  });
  expect(await ask(shell, "prompts/get", { name: "daily" })).toMatchObject({
    status: 200,
    body: { error: { code: -32602, message: expect.stringContaining("room") } },
  });
  expect(await ask(shell, "prompts/get", { name: "daily", arguments: { room: 5 } })).toMatchObject({
    body: { error: { code: -32602 } },
  });
});

// @proves mcp.lists.every-list-paginated
test("walking the cursors of prompts and templates yields each once", async () => {
  shell = await startShell({ prompts: [prompts], limits: { resourcesPerPage: 1 } });
  for (const uri of ["test://doc/1", "test://doc/2", "test://doc/3"]) shell.resources.put(uri, "text");
  for (const [method, member] of [
    ["prompts/list", "prompts"],
    ["resources/templates/list", "resourceTemplates"],
    ["resources/list", "resources"],
  ] as const) {
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask(shell, method, cursor === undefined ? {} : { cursor });
      seen.push(...pick<unknown[]>(page.body, "result", member));
      cursor = pick(page.body, "result", "nextCursor");
    } while (cursor !== undefined);
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(seen.length);
    expect(seen.length).toBe({ prompts: 2, resourceTemplates: 2, resources: 3 }[member]);
  }
});

const rooms: Completer = {
  of: { prompt: "daily" },
  argument: "room",
  complete: ({ value, chosen }) =>
    Array.from({ length: 150 }, (_, n) => `${chosen["tone"] ?? ""}room ${n}`).filter((room) => room.includes(value)),
};
const complete = (at: TestShell, ref: object, argument: object, context?: object) =>
  ask(at, "completion/complete", { ref, argument, ...(context && { context }) });

// @proves mcp.completion.refs mcp.completion.at-most-100 mcp.completion.context-arguments
test("at most a hundred values are proposed, and the rest is told", async () => {
  const byTemplate: Completer = { of: { template: "test://doc/{id}" }, argument: "id", complete: () => ["1", "2"] };
  shell = await startShell({ prompts: [prompts], completers: [rooms, byTemplate] });
  const all = await complete(shell, { type: "ref/prompt", name: "daily" }, { name: "room", value: "" });
  expect(all).toMatchObject({ body: { result: { completion: { total: 150, hasMore: true } } } });
  expect(pick<unknown[]>(all.body, "result", "completion", "values")).toHaveLength(100);
  const some = await complete(
    shell,
    { type: "ref/prompt", name: "daily" },
    { name: "room", value: "room 14" },
    { arguments: { tone: "warm " } },
  );
  expect(pick(some.body, "result", "completion")).toMatchObject({
    total: 11,
    hasMore: false,
    values: expect.arrayContaining(["warm room 14"]),
  });
  expect(
    await complete(shell, { type: "ref/resource", uri: "test://doc/{id}" }, { name: "id", value: "" }),
  ).toMatchObject({ body: { result: { completion: { values: ["1", "2"] } } } });
});

// @proves mcp.completion.no-completer mcp.completion.unknown-ref
test.each([
  [{ type: "ref/prompt", name: "nobody" }, "room"],
  [{ type: "ref/prompt", name: "daily" }, "tone"],
  [{ type: "ref/resource", uri: "test://nothing/{id}" }, "id"],
])("%j, argument %s: nothing is proposed", async (ref, name) => {
  shell = await startShell({ prompts: [prompts], completers: [rooms] });
  expect(await complete(shell, ref, { name, value: "" })).toMatchObject({
    status: 200,
    body: { result: { completion: { values: [], total: 0, hasMore: false } } },
  });
});

// @proves mcp.completion.cancelled-on-abort
test("a completer that takes too long is stopped, and nothing is proposed", async () => {
  let stopped = false;
  let asked = false;
  const slow: Completer = {
    of: { prompt: "daily" },
    argument: "room",
    complete: ({ signal }) =>
      new Promise((_, reject) => {
        asked = true;
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        });
      }),
  };
  shell = await startShell({ prompts: [prompts], completers: [slow] });
  const running = complete(shell, { type: "ref/prompt", name: "daily" }, { name: "room", value: "" });
  await expect.poll(() => asked).toBe(true);
  await shell.clock.advance(millis(200));
  expect(await running).toMatchObject({ body: { result: { completion: { values: [] } } } });
  expect(stopped).toBe(true);
});
