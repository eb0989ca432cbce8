import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHubs, type Hubs } from "../testing/run-hubs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // whole hubs, on a machine that may be busy
afterAll(() => vi.resetConfig());

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

let hubs: Hubs;
let collector: Server;
let bodies: string[];
let status: number;
beforeEach(async () => {
  hubs = createHubs();
  bodies = [];
  status = 200;
  collector = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void collector.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await hubs.end();
  await new Promise((resolve) => collector.close(resolve));
});

function endpoint(): string {
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
}

/** A demo whose settings name the collector. */
async function tracedDemo() {
  const config = join(hubs.dir, "steading.config.yaml");
  writeFileSync(config, JSON.stringify({ telemetry: { otlp: { endpoint: endpoint() } } }));
  return hubs.hub("demo", ["--config", config]);
}

function spans(): Span[] {
  return bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
}
const about = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

test("a collector receives a span for each call of a tool, with no arguments, answers or tokens in it", async () => {
  const demo = await tracedDemo();
  const spoken = "marmalade-greenhouse";
  const token = demo.ready.token ?? "";
  const over = ["--url", demo.ready.mcp, "--token", token];
  await hubs.run(["call", "set_property", '{"path":"/home/bedroom/thermostat/target","value":23.5}', ...over]);
  await hubs.run(["call", "get_property", JSON.stringify({ path: `/${spoken}` }), ...over]);
  demo.stop();
  await demo.code;

  const calls = spans().filter(({ name }) => name.startsWith("tool "));
  expect(calls.map(about)).toEqual([
    expect.objectContaining({
      "steading.tool": "set_property",
      "steading.role": "admin",
      "steading.transport": "http",
      "steading.result": "complete",
    }),
    expect.objectContaining({ "steading.tool": "get_property", "steading.result": "PATH_NOT_FOUND" }),
  ]);
  const sent = bodies.join("");
  expect(sent).toContain('"steading"');
  for (const secret of [token, spoken, "23.5", "thermostat"]) expect(sent).not.toContain(secret);
});

// @proves mcp.tracing.span-per-request
test("a request's span belongs to the trace that its caller began, and its tool's stands below it", async () => {
  const demo = await tracedDemo();
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const answer = await fetch(demo.ready.mcp, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${demo.ready.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "Mcp-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "query",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "query",
        arguments: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        },
      },
    }),
  });
  expect(answer.status, await answer.text()).toBe(200);
  demo.stop();
  await demo.code;
  const [request, call] = ["tools/call query", "tool query"].map((name) => spans().find((span) => span.name === name));
  expect(request).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
  expect(call).toMatchObject({ traceId, parentSpanId: request?.spanId });
});

test("a collector that refuses is told once, counted, and holds nothing up", async () => {
  status = 503;
  const demo = await tracedDemo();
  expect((await hubs.run(["call", "query"])).code).toBe(0);
  demo.stop();
  expect(await demo.code).toBe(0);
  expect(demo.err().split("The collector does not take spans.")).toHaveLength(2);
});

test("without the setting nothing is sent anywhere", async () => {
  const demo = await hubs.hub("demo");
  await hubs.run(["call", "query"]);
  demo.stop();
  await demo.code;
  expect(bodies).toEqual([]);
});
