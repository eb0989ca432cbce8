import type { Route } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import { createBarnPart } from "../testing/barn-part.ts";
import { pick, post } from "../testing/post.ts";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createRouteSets } from "./route-sets.ts";

const shells: TestShell[] = [];
afterEach(async () => {
  await Promise.all(shells.splice(0).map((shell) => shell.close()));
});
async function start(): Promise<TestShell> {
  const shell = await startShell({ parts: [createBarnPart()] });
  shells.push(shell);
  return shell;
}
const at = (serve?: readonly string[]) => ({
  host: "127.0.0.1",
  port: 0,
  setting: "listen[1].port",
  ...(serve === undefined ? {} : { serve }),
});

/** Which of these addresses are there, as an admin sees it. */
async function present(url: string, token: string): Promise<string[]> {
  const paths = ["/mcp", "/mcp/works", "/mcp/essential", "/metrics", "/health", "/readyz", "/api/me", "/openapi.json"];
  const found: string[] = [];
  for (const path of paths) {
    const answer = path.startsWith("/mcp")
      ? await post(`${url}${path}`, "tools/list", {}, { token })
      : await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (answer.status === 200) found.push(path);
  }
  return found;
}

// @proves mcp.address.listen-setting
test("a listener serves what it was told to and nothing else; that the hub lives is told on all", async () => {
  const { server, admin } = await start();
  const serving = async (serve?: readonly string[]) => present((await server.listen(at(serve))).url, admin);
  const everything = [
    "/mcp",
    "/mcp/works",
    "/mcp/essential",
    "/metrics",
    "/health",
    "/readyz",
    "/api/me",
    "/openapi.json",
  ];
  expect(await serving()).toEqual(everything);
  expect(await serving(["all"])).toEqual(everything);
  expect(await serving(["mcp"])).toEqual(["/mcp", "/mcp/works", "/mcp/essential", "/health", "/readyz"]);
  expect(await serving(["mcp:works"])).toEqual(["/mcp", "/health", "/readyz"]);
  expect(await serving(["barn-api"])).toEqual(["/health", "/readyz", "/api/me", "/openapi.json"]);
  expect(await serving(["mcp:essential", "barn-api"])).toEqual([
    "/mcp",
    "/health",
    "/readyz",
    "/api/me",
    "/openapi.json",
  ]);
});

test("one toolset is shown exactly and only, and the metadata of the rest is gone with it", async () => {
  const { server, admin } = await start();
  const { url } = await server.listen(at(["mcp:works"]));
  const list = await post(`${url}/mcp`, "tools/list", {}, { token: admin });
  expect(pick<{ name: string }[]>(list.body, "result", "tools").map(({ name }) => name)).toEqual(["operate"]);
  expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(200);
  const { url: api } = await server.listen(at(["barn-api"]));
  expect((await fetch(`${api}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
});

test("a set with a name of its own is served only where it is named, and then before the hub's own address", async () => {
  const { server, url } = await start();
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
  const door = await server.listen(at(["mcp:works", "barn-door"]));
  expect(await (await fetch(`${door.url}/health`)).json()).toEqual({ status: "ok", barn: true });
  expect((await fetch(`${door.url}/api/health`)).status).toBe(404);
});

test.each([
  [["barn"], "listen[1].serve names barn; there are all, mcp, mcp:<toolset>, barn-api, barn-door."],
  [["mcp:nothing"], "listen[1].serve names the toolset nothing, which is not there."],
  [["mcp", "mcp:works"], "listen[1].serve asks for more than one thing at /mcp."],
  [[], "listen[1].serve names nothing to serve."],
])("a listener that cannot serve %j says which setting is wrong", async (serve, message) => {
  const { server } = await start();
  await expect(server.listen(at(serve))).rejects.toMatchObject({ code: "LISTEN_REFUSED", message });
});

test("parts that could never be served as they wish are refused when the hub is put together", () => {
  const route = (path: string, over: Partial<Route> = {}): Route => ({
    method: "GET",
    path,
    role: "viewer",
    input: {},
    handle: async () => ({}),
    ...over,
  });
  const sets =
    (...routes: Route[]) =>
    () =>
      createRouteSets([{ name: "a", routes }]);
  expect(sets(route("/mcp/own"))).toThrow("a-api: /mcp/own is an address of the hub itself.");
  expect(sets(route("/a/*"))).toThrow("a-api: /a/* is no path that can be served.");
  expect(sets(route("/a/:id/:id"))).toThrow("a-api: /a/:id/:id names a parameter twice.");
  expect(sets(route("/a/:id"), route("/a/:name"))).toThrow("GET /a/: is wanted twice: by a-api and by a-api.");
  expect(() => createRouteSets(["a", "b"].map((name) => ({ name, routes: [route("/x")] })))).toThrow(
    "GET /x is wanted twice: by a-api and by b-api.",
  );
  expect(sets(route("/a/:id"), route("/a/:id", { method: "PUT" }), route("/health", { set: "x" }))).not.toThrow();
});
