import { expect, test } from "vitest";
import { readTraceContext } from "./trace-context.ts";

const ONE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const TWO = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00";
const read = (meta?: Record<string, unknown>, headers: Record<string, unknown> = {}) =>
  readTraceContext(meta, (name) => headers[name]);

// @proves mcp.tracing.from-meta
test("all three are read from _meta", () => {
  const context = { traceparent: ONE, tracestate: "a=1,b@c=2", baggage: "user=anna%20b, day=1;p=2" };
  expect(read(context)).toEqual(context);
});

// @proves mcp.tracing.from-headers
test("without them in _meta the headers of the same names are used", () => {
  const context = { traceparent: ONE, tracestate: "a=1", baggage: "user=anna" };
  expect(read({}, context)).toEqual(context);
  expect(read(undefined, context)).toEqual(context);
});

// @proves mcp.tracing.meta-wins
test("_meta wins, and a trace is never put together from both", () => {
  const headers = { traceparent: TWO, tracestate: "header=1", baggage: "from=header" };
  expect(read({ traceparent: ONE }, headers)).toEqual({ traceparent: ONE, baggage: "from=header" });
  expect(read({ traceparent: ONE, tracestate: "meta=1", baggage: "from=meta" }, headers)).toEqual({
    traceparent: ONE,
    tracestate: "meta=1",
    baggage: "from=meta",
  });
  expect(read({ tracestate: "meta=1" }, headers)).toEqual(headers);
});

// @proves mcp.tracing.malformed-ignored
test.each([
  7,
  null,
  {},
  "",
  "nonsense",
  ONE.toUpperCase(),
  `${ONE}-more`,
  `ff${ONE.slice(2)}`,
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
  `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`,
  `${ONE}\n`,
])("a malformed parent %j counts as absent, and its state with it", (traceparent) => {
  expect(read({ traceparent, tracestate: "a=1" })).toEqual({});
  expect(read({ traceparent, tracestate: "a=1" }, { traceparent: TWO })).toEqual({ traceparent: TWO });
});

// @proves mcp.tracing.malformed-ignored
test.each([7, "", "nonsense", "a=1\nb=2", `a=${"1".repeat(9_000)}`, "ä=1"])(
  "a malformed state or baggage %j is dropped and the trace goes on",
  (value) => {
    expect(read({ traceparent: ONE, tracestate: value, baggage: value })).toEqual({ traceparent: ONE });
  },
);
