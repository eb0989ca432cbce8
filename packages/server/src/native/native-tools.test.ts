import { silentLog } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createSharedValidators } from "../schemas/shared-validators.ts";
import { pick, post, send } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import type { NativeTool } from "./native-tool.ts";
import { createNativeTools } from "./native-tools.ts";
import { projectResult } from "./project-result.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const inputSchema = { type: "object" as const, additionalProperties: false };
const number: NativeTool = {
  definition: { name: "number", inputSchema },
  plain: true,
  call: () => ({ content: [], structuredContent: 5 }),
};
const image: NativeTool = {
  definition: { name: "image", inputSchema },
  plain: true,
  call: () => ({ content: [{ type: "image", mimeType: "image/png", data: "A".repeat(4_000) }] }),
};
const secret: NativeTool = {
  definition: { name: "secret", inputSchema },
  minimumRole: "admin",
  call: () => Promise.reject(new Error("/secret/path")),
};

// @proves mcp.instance.legacy-wraps-non-object
test("a structured value that is no object is wrapped for the 2025 era, and has a text in both", async () => {
  shell = await startShell({ conformance: true, natives: [number] });
  expect(await post(shell.mcp, "tools/call", { name: "number" }, { token: shell.admin })).toMatchObject({
    body: { result: { structuredContent: 5, content: [{ text: "5" }] } },
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const headers = { authorization: `Bearer ${shell.admin}` };
  const opened = await send(
    shell.mcp,
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    headers,
  );
  const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const old = await send(
    shell.mcp,
    JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "number" } }),
    session,
  );
  expect(old).toMatchObject({ body: { result: { structuredContent: { result: 5 }, content: [{ text: "5" }] } } });
});

test("an object is the same in both eras", () => {
  const result = { content: [{ type: "text" as const, text: "x" }], structuredContent: { a: 1 } };
  expect(projectResult(result, "legacy")).toEqual(projectResult(result, "modern"));
});

// @proves mcp.limits.result-binary
test("binary content over the limit is replaced by a link to the whole", async () => {
  shell = await startShell({ conformance: true, natives: [image], limits: { resultBinaryBytes: 1_000 } });
  const answer = await post(shell.mcp, "tools/call", { name: "image" }, { token: shell.admin });
  expect(answer.text.length).toBeLessThan(1_000);
  const uri = pick<string>(answer.body, "result", "content", 1, "uri");
  expect(await post(shell.mcp, "resources/read", { uri }, { token: shell.admin })).toMatchObject({
    body: { result: { contents: [{ mimeType: "image/png", blob: "A".repeat(4_000) }] } },
  });
});

test("roles hide such tools too, and their exceptions stay at home", async () => {
  shell = await startShell({ conformance: true, natives: [secret] });
  expect(await post(shell.mcp, "tools/call", { name: "secret" }, { token: shell.viewer })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  const failed = await post(shell.mcp, "tools/call", { name: "secret" }, { token: shell.admin });
  expect(failed).toMatchObject({ body: { result: { isError: true } } });
  expect(failed.text).not.toContain("/secret/path");
});

test("a shell that is no fixture refuses them: they would act without a door", async () => {
  await expect(startShell({ natives: [number] })).rejects.toThrow("only the conformance fixtures");
});

// @proves mcp.conformance.fixtures-absent-in-product
test("a shell without fixtures lists none of their names", async () => {
  shell = await startShell();
  const list = await post(shell.mcp, "tools/list", {}, { token: shell.admin });
  expect(list.text).not.toMatch(/"test_|slow_compute|confirm_delete/);
});

// @proves mcp.instance.validators-lazy
test("no schema is compiled before its tool is called", async () => {
  const validators = createSharedValidators();
  const many = Array.from({ length: 1_000 }, (_, n): NativeTool => ({
    ...number,
    definition: { name: `t${n}`, inputSchema: { type: "object", properties: { [`p${n}`]: { type: "string" } } } },
  }));
  const natives = createNativeTools({ tools: many, validators, log: silentLog });
  expect(natives.visibleTo({ role: "viewer" })).toHaveLength(1_000);
  expect(validators.compiled).toBe(0);
  const first = natives.find("t0", { role: "viewer" });
  if (first === undefined) throw new Error("not found");
  await natives.run(first, {}, () => {
    throw new Error("a plain tool needs no context");
  });
  expect(validators.compiled).toBe(1);
});
