import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { SteadingError } from "./steading-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

const context: ToolContext = {
  caller: { principal: "anna", role: "operator", transport: "internal", correlation: "c" },
  signal: new AbortController().signal,
  progress() {},
  perform: () => Promise.reject(new Error("not in these tests")),
};

const readTool = (extra: object = {}): Tool =>
  defineTool({
    name: "get_property",
    title: "Get property",
    summary: "Reads one property.",
    input: z.object({ path: z.string().min(1).max(20), depth: z.number().int().min(0).max(3).optional() }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: (input) => ({ seen: input }),
    ...extra,
  });

const writeTool = (extra: object = {}): Tool =>
  defineTool({
    name: "set_property",
    title: "Set property",
    summary: "Writes one property.",
    input: z.object({ path: z.string() }),
    output: z.object({ path: z.string() }),
    intent: "MUTATE",
    minimumRole: "operator",
    handler: ({ path }) => ({ path }),
    ...extra,
  });

function refusal(tool: Tool, raw: unknown): { message: string; problems: { path: string; message: string }[] } {
  try {
    tool.parse(raw);
  } catch (error) {
    expect(error).toBeInstanceOf(SteadingError);
    const { code, message, details } = error as SteadingError;
    expect(code).toBe("INVALID_ARGUMENTS");
    return { message, problems: (details as { problems: { path: string; message: string }[] }).problems };
  }
  throw new Error("nothing was refused");
}

describe("schemas", () => {
  // @proves kernel.tool.json-schema-made-once
  test("the input schema is made once, is closed, and says what the validator checks", () => {
    const tool = readTool();
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, maxLength: 20 },
        depth: { type: "integer", minimum: 0, maximum: 3 },
      },
      required: ["path"],
      additionalProperties: false,
    });
    expect(tool.inputSchema).toBe(tool.inputSchema);
    expect(Object.isFrozen(tool.inputSchema)).toBe(true);
  });

  test("a tool without arguments has the shortest closed schema", () => {
    expect(readTool({ input: z.object({}) }).inputSchema).toEqual({ type: "object", additionalProperties: false });
  });

  test("a tool that ignores unknown keys leaves its schema open", () => {
    expect(readTool({ unknownKeys: "ignore" }).inputSchema).not.toHaveProperty("additionalProperties");
  });

  // @proves kernel.tool.mutate-takes-idempotency-key
  test("every MUTATE tool lists an optional idempotency key, and an approval where one may be asked for", () => {
    const fields = (tool: Tool) => Object.keys(tool.inputSchema["properties"] as object);
    expect(fields(writeTool())).toEqual(["path", "idempotency_key"]);
    expect(fields(writeTool({ confirm: "confirm" }))).toEqual(["path", "idempotency_key", "approval"]);
    expect(fields(writeTool({ confirm: "approve" }))).toEqual(["path", "idempotency_key", "approval"]);
    expect(fields(writeTool({ acceptsApproval: true }))).toEqual(["path", "idempotency_key", "approval"]);
    expect(writeTool().inputSchema["required"]).toEqual(["path"]);
    expect(fields(readTool())).not.toContain("idempotency_key");
  });

  // @proves kernel.receipt.additive-to-contract
  test("the output schema stays open at every level", () => {
    const tool = writeTool({ output: z.object({ path: z.string(), inner: z.object({ n: z.number() }) }) });
    expect(tool.outputSchema).toMatchObject({
      type: "object",
      additionalProperties: true,
      required: ["path", "inner"],
    });
    expect(JSON.stringify(tool.outputSchema)).not.toContain("false");
    expect(tool.answerProblems?.({ path: "a", inner: { n: 1, more: 2 }, receipt: { action: "x" } })).toEqual([]);
    expect(tool.answerProblems?.({ path: 3, inner: { n: 1 } })).toEqual(['"path" must be a string']);
  });

  test("an output that can be one of several objects is an object schema still", () => {
    const tool = writeTool({ output: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) });
    expect(tool.outputSchema).toMatchObject({ type: "object" });
  });

  test("mistakes of the author are found when the tool is defined", () => {
    expect(() => readTool({ name: "get property" })).toThrow(TypeError);
    expect(() => readTool({ name: "x".repeat(65) })).toThrow(TypeError);
    expect(() => readTool({ output: z.array(z.string()) })).toThrow(/must be an object schema/);
  });
});

describe("arguments", () => {
  // @proves kernel.tool.unknown-keys-reject
  test("an unknown key is refused and the nearest field is named", () => {
    const { message, problems } = refusal(readTool(), { path: "/a", dept: 2 });
    expect(problems).toEqual([{ path: "dept", message: 'is not a known field; did you mean "depth"?' }]);
    expect(message).toBe('Arguments of get_property: "dept" is not a known field; did you mean "depth"?');
  });

  test("a key that resembles nothing gets the list of fields", () => {
    expect(refusal(readTool(), { path: "/a", zebra: 2 }).problems).toEqual([
      { path: "zebra", message: 'is not a known field; known fields are "path", "depth"' },
    ]);
  });

  // @proves kernel.tool.unknown-keys-ignore
  test("a tool that ignores unknown keys runs as if they were not there", async () => {
    const tool = readTool({ unknownKeys: "ignore" });
    const { input } = tool.parse({ path: "/a", zebra: 2 });
    expect(await tool.run(input, context)).toEqual({ seen: { path: "/a" } });
  });

  test("all problems are reported together", () => {
    const { problems } = refusal(readTool(), { depth: 7.5, zebra: 1 });
    expect(problems.map(({ path }) => path).toSorted()).toEqual(["depth", "path", "zebra"]);
  });

  test("absent arguments are an empty object and anything but an object is refused", () => {
    expect(readTool({ input: z.object({}) }).parse(undefined)).toEqual({ input: {}, extras: {} });
    for (const raw of [null, 3, "x", [], true]) {
      expect(refusal(readTool(), raw).problems).toEqual([{ path: "", message: "must be an object" }]);
    }
  });

  test("each kind of mistake has a sentence of ours", () => {
    const tool = readTool({
      input: z.object({
        a: z.string().min(2),
        b: z.number().gt(3),
        c: z.enum(["x", "y"]),
        d: z.array(z.object({ e: z.boolean() })),
        f: z.union([z.string(), z.number()]),
        g: z.iso.datetime(),
        h: z.string().length(3),
        i: z.number().multipleOf(5),
        j: z.discriminatedUnion("k", [z.object({ k: z.literal("p") }), z.object({ k: z.literal("q"), v: z.number() })]),
        l: z.number().refine((n) => n !== 3, { error: "must not be three" }),
        m: z.int(),
        n: z.literal("only"),
        o: z.union([z.object({ x: z.number() }), z.object({ y: z.string(), z: z.string() })]),
      }),
    });
    const raw = {
      a: "x",
      b: 3,
      c: "z",
      d: [{ e: 1 }],
      f: true,
      g: "today",
      h: "xxxx",
      i: 4,
      j: { k: "r" },
      l: 3,
      m: 1.5,
      n: "other",
      o: { x: "s" },
    };
    expect(Object.fromEntries(refusal(tool, raw).problems.map(({ path, message }) => [path, message]))).toEqual({
      a: "must have at least 2 characters",
      b: "must be more than 3",
      c: 'must be one of "x", "y"',
      "d[0].e": "must be a boolean",
      f: "must be a string, or a number",
      g: "must be a valid datetime",
      h: "must have exactly 3 characters",
      i: "must be a multiple of 5",
      "j.k": 'must be one of "p", "q"',
      l: "must not be three",
      m: "must be a whole number",
      n: 'must be "only"',
      "o.x": "must be a number",
    });
  });

  test("a sentence never carries control characters or endless names of the caller", () => {
    const { message } = refusal(readTool(), { path: "/a", ["\u202Eevil\u0007\n" + "x".repeat(500)]: 1 });
    for (const bad of ["\u202E", "\u0007", "\n"]) expect(message).not.toContain(bad);
    expect(message.length).toBeLessThan(300);
  });

  test("a very wrong call is answered in bounded size and says that it was cut", () => {
    const raw = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`zebra${i}`, i]));
    try {
      readTool().parse({ path: "/a", ...raw });
      expect.unreachable();
    } catch (error) {
      const { details } = error as SteadingError;
      expect(details?.["problems"]).toHaveLength(50);
      expect(details?.["problems_cut"]).toBe(true);
    }
  });

  test("names that every object inherits are unknown fields like any other", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(refusal(readTool(), JSON.parse(`{"path":"/a","${name}":{}}`)).problems).toHaveLength(1);
    }
  });

  test("whatever is sent, the answer is either an input or a refusal in our words", () => {
    const tool = readTool();
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        fc.pre(!/zod|invalid_type|expected/i.test(fc.stringify(raw))); // the caller's own words may come back
        try {
          tool.parse(raw);
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_ARGUMENTS" });
          expect((error as Error).message).not.toMatch(/zod|invalid_type|expected/i);
        }
      }),
    );
  });
});

describe("what every MUTATE tool takes", () => {
  test("key and approval are taken off before the handler sees its input", () => {
    const tool = writeTool({ confirm: "confirm" });
    expect(tool.parse({ path: "/a", idempotency_key: "k1", approval: "a1" })).toEqual({
      input: { path: "/a" },
      extras: { idempotencyKey: "k1", approval: "a1" },
    });
    expect(tool.parse({ path: "/a" })).toEqual({ input: { path: "/a" }, extras: {} });
  });

  test("a key must be 1 to 128 characters", () => {
    for (const key of ["", "x".repeat(129), 3, null]) {
      expect(refusal(writeTool(), { path: "/a", idempotency_key: key }).problems).toEqual([
        { path: "idempotency_key", message: "must be a string of 1 to 128 characters" },
      ]);
    }
  });

  test("an approval is an unknown field where none is ever asked for", () => {
    expect(refusal(writeTool(), { path: "/a", approval: "x" }).problems[0]?.path).toBe("approval");
  });

  test("a tool whose own contract has the field keeps it", () => {
    const tool = writeTool({ input: z.object({ path: z.string(), idempotency_key: z.string().min(8) }) });
    expect(tool.parse({ path: "/a", idempotency_key: "12345678" })).toEqual({
      input: { path: "/a", idempotency_key: "12345678" },
      extras: { idempotencyKey: "12345678" },
    });
    expect(refusal(tool, { path: "/a", idempotency_key: "123" }).problems).toHaveLength(1);
  });
});

describe("hints, description and text", () => {
  // @proves kernel.tool.intent-read-only-or-mutate kernel.tool.confirm-three-kinds
  test("annotations follow the intent and give way to the author's", () => {
    expect(readTool().annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(writeTool().annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(writeTool({ annotations: { destructiveHint: false } }).annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
    });
    expect([readTool().intent, writeTool().intent]).toEqual(["READ_ONLY", "MUTATE"]);
    expect([writeTool().confirm, writeTool({ confirm: "approve" }).confirm]).toEqual(["plain", "approve"]);
  });

  // @proves kernel.tool.description-may-be-live
  test("a description made by a function follows what it speaks of", () => {
    const zones = ["attic"];
    const tool = readTool({ summary: () => `Zones: ${zones.join(", ")}` });
    expect(tool.description()).toBe("Zones: attic");
    zones.push("barn");
    expect(tool.description()).toBe("Zones: attic, barn");
  });

  test("a description is at most 2 KB, cut between characters and marked", () => {
    const cut = readTool({ summary: () => "ä€𝄞".repeat(1_000) }).description();
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2_048);
    expect(cut.endsWith("…")).toBe(true);
    expect(cut.isWellFormed()).toBe(true);
  });

  // @proves kernel.wire.success-text-same-json kernel.wire.success-text-seed-shape
  test("the text is the answer's JSON unless the tool has its own", () => {
    expect(readTool().text({ a: 1 })).toBe('{"a":1}');
    expect(readTool({ text: (answer: { list: number[] }) => JSON.stringify(answer.list) }).text({ list: [1] })).toBe(
      "[1]",
    );
  });

  // @proves kernel.wire.success-structured-content-object
  test("an answer that is no object is the tool's fault", async () => {
    for (const answer of [[], "x", null, 3]) {
      await expect(readTool({ handler: () => answer }).run({ path: "/a" }, context)).rejects.toThrow(TypeError);
    }
  });
});

test("a tool says which of its calls make things safe, and calls that it would refuse do not", () => {
  const tool = writeTool({ urgent: ({ path }: { path: string }) => path === "lamp/off" });
  expect(tool.isUrgent?.({ path: "lamp/off", idempotency_key: "k" })).toBe(true);
  expect(tool.isUrgent?.({ path: "lamp/on" })).toBe(false);
  expect(tool.isUrgent?.({ path: "lamp/off", other: 1 })).toBe(false);
  expect(tool.isUrgent?.("lamp/off")).toBe(false);
  expect(writeTool().isUrgent).toBeUndefined();
});
