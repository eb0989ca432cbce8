import { afterEach, expect, test } from "vitest";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createAppPages } from "./app-page.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const panel = {
  name: "panel",
  title: "Panel",
  tools: ["echo", "operate"],
  visibility: ["app"] as const,
  html: () => "<!doctype html><title>Panel</title>",
  csp: { connectDomains: ["https://tiles.example"] },
  prefersBorder: true,
};

// @proves mcp.apps.tool-meta mcp.apps.tool-meta-flat-key mcp.apps.mime-type mcp.apps.csp-on-content-item mcp.cache.read-ui
test("a tool with a page names it, and the page can be read with its wishes on the content", async () => {
  shell = await startShell({ apps: [panel] });
  const list = await post(shell.mcp, "tools/list", {}, { token: shell.admin });
  const echo = pick<{ name: string; _meta?: unknown }[]>(list.body, "result", "tools").find(
    ({ name }) => name === "echo",
  );
  expect(echo?._meta).toEqual({
    ui: { resourceUri: "ui://steading/panel.html", visibility: ["app"] },
    "ui/resourceUri": "ui://steading/panel.html",
  });
  expect(
    await post(shell.mcp, "resources/read", { uri: "ui://steading/panel.html" }, { token: shell.admin }),
  ).toMatchObject({
    body: {
      result: {
        ttlMs: 3_600_000,
        cacheScope: "public",
        contents: [
          {
            mimeType: "text/html;profile=mcp-app",
            text: panel.html(),
            _meta: { ui: { csp: panel.csp, prefersBorder: true } },
          },
        ],
      },
    },
  });
});

// @proves mcp.apps.visibility-not-access mcp.apps.useful-as-text
test("who may call a tool does not depend on its page, and it answers the same without one", async () => {
  shell = await startShell({ apps: [panel] });
  expect(await post(shell.mcp, "tools/call", { name: "operate" }, { token: shell.viewer })).toMatchObject({
    body: { error: { code: -32602 } },
  });
  expect(await post(shell.mcp, "tools/call", { name: "echo" }, { token: shell.viewer })).toMatchObject({
    body: { result: { content: [{ text: '{"echo":null}' }] } },
  });
});

// @proves mcp.capabilities.extensions mcp.capabilities.core mcp.capabilities.logging-off mcp.capabilities.no-top-level-tasks
test("both extensions are advertised, logging is not", async () => {
  shell = await startShell();
  expect(
    pick((await post(shell.mcp, "server/discover", {}, { token: shell.admin })).body, "result", "capabilities"),
  ).toEqual({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    extensions: { "io.modelcontextprotocol/ui": {}, "io.modelcontextprotocol/tasks": {} },
  });
});

test("a page's name must fit an address", () => {
  expect(() => createAppPages([{ ...panel, name: "../x" }])).toThrow(/name/);
});

// @proves mcp.apps.self-contained
test("a page that loads anything else is refused; what is inside it is its own affair", () => {
  const pageOf = (html: string) => () => createAppPages([{ ...panel, html: () => html }]);
  const inside = `<style>a{background:url(data:image/png;base64,AA)}</style><script>fetch("x")</script>
    <img alt="a" src="data:image/png;base64,AA"><svg><use href="#a"/></svg>`;
  expect(pageOf(inside)).not.toThrow();
  for (const html of [
    '<script src="https://x.example/a.js"></script>',
    "<script type=module src=/a.js></script>",
    '<link rel="stylesheet" href="a.css">',
    "<style>@import 'a.css'</style>",
    "<style>a{background:url(//x.example/a.png)}</style>",
    '<img src="/a.png">',
    '<iframe src="https://x.example"></iframe>',
    '<base href="https://x.example">',
  ])
    expect(pageOf(html), html).toThrow("loads something else");
});
