import { expect, test } from "vitest";
import { createHandDispatcher, type HandDispatcher } from "../testing/hand-dispatcher.ts";
import { silentLog } from "@steading/kernel";
import { createAppPages } from "../apps/app-page.ts";
import { createNativeTools } from "../native/native-tools.ts";
import { createSharedValidators } from "../schemas/shared-validators.ts";
import { createToolPages, type ToolPages } from "./tool-pages.ts";

const admin = { role: "admin" } as const;
const everything = { view: { kind: "all" }, names: "dotted" } as const;
const tool = (name: string, description?: () => string) => ({
  name,
  run: () => ({}),
  ...(description && { description }),
});

const natives = createNativeTools({ tools: [], validators: createSharedValidators(), log: silentLog });
function pagesOver(dispatcher: HandDispatcher, toolsPerPage = 500): ToolPages {
  return createToolPages({ dispatcher, natives, apps: createAppPages([]), toolsPerPage, descriptionBytes: 2_048 });
}

function setUp(count: number, toolsPerPage = 500) {
  const dispatcher = createHandDispatcher(
    ...Array.from({ length: count }, (_, i) => tool(`t${String(i).padStart(4, "0")}`)),
  );
  return { dispatcher, pages: pagesOver(dispatcher, toolsPerPage) };
}

// @proves mcp.lists.page-size mcp.lists.last-page-without-next mcp.lists.cursor-opaque
test("501 tools make two pages, and the last has no cursor", () => {
  const { pages } = setUp(501);
  const first = pages.page(admin, everything, undefined);
  expect(first?.tools).toHaveLength(500);
  expect(first?.nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
  const second = pages.page(admin, everything, first?.nextCursor);
  expect(second?.tools.map((each) => each.name)).toEqual(["t0500"]);
  expect(second).not.toHaveProperty("nextCursor");
});

test("no tools make one empty page", () => {
  expect(setUp(0).pages.page(admin, everything, undefined)).toEqual({ tools: [] });
});

// @proves mcp.lists.cursor-older-generation
test("a cursor from before a change is served by its offset", () => {
  const { dispatcher, pages } = setUp(4, 2);
  const cursor = pages.page(admin, everything, undefined)?.nextCursor;
  dispatcher.add(tool("a"));
  expect(pages.page(admin, everything, cursor)?.tools.map((each) => each.name)).toEqual(["t0001", "t0002"]);
});

// @proves mcp.lists.cursor-empty-string mcp.lists.cursor-out-of-range
test.each([
  "",
  "x",
  Buffer.from("1:0").toString("base64url"),
  Buffer.from("1:3").toString("base64url"),
  Buffer.from("1:4").toString("base64url"),
])("the cursor %j leads nowhere", (cursor) => {
  expect(setUp(4, 2).pages.page(admin, everything, cursor)).toBeUndefined();
});

test("pages are made once and shared until something changes", () => {
  const { dispatcher, pages } = setUp(3);
  const first = pages.page(admin, everything, undefined);
  expect(pages.page({ role: "admin" }, { ...everything }, undefined)).toBe(first);
  dispatcher.touch();
  expect(pages.page(admin, everything, undefined)).not.toBe(first);
});

test("the fingerprint tells whether a client would see a difference", () => {
  let weather = "sunny";
  const dispatcher = createHandDispatcher(tool("t", () => weather));
  const pages = pagesOver(dispatcher);
  const before = pages.listFor(admin, everything).fingerprint;
  dispatcher.touch();
  expect(pages.listFor(admin, everything).fingerprint).toBe(before);
  weather = "rain";
  dispatcher.touch();
  expect(pages.listFor(admin, everything).fingerprint).not.toBe(before);
});

// @proves mcp.limits.description-length
test("a long description is cut at a character's border", () => {
  const dispatcher = createHandDispatcher(tool("t", () => "ä".repeat(2_000)));
  const description = pagesOver(dispatcher).page(admin, everything, undefined)?.tools[0]?.description ?? "";
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2_048);
  expect(description).toMatch(/^ä+…$/);
});
