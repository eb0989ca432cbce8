import { expect, test } from "vitest";
import { metricsOfText } from "./metrics-of-text.ts";

test("what the other shell counts keeps its name, its kind and its labels, and gets one more", () => {
  const text = [
    "# HELP steading_http_refused_total Requests that were refused.",
    "# TYPE steading_http_refused_total counter",
    'steading_http_refused_total{why="unauthorized"} 7',
    "# HELP steading_mcp_sessions Sessions.",
    "# TYPE steading_mcp_sessions gauge",
    "steading_mcp_sessions 3",
    "# TYPE process_cpu_seconds_total counter",
    "process_cpu_seconds_total 12.5",
    "",
  ].join("\n");
  const told = metricsOfText(text, { listener: "farm" }).map(({ read, ...rest }) => ({ ...rest, value: read() }));
  expect(told).toEqual([
    {
      name: "steading_http_refused_total",
      help: "Requests that were refused.",
      type: "counter",
      labels: { why: "unauthorized", listener: "farm" },
      value: 7,
    },
    { name: "steading_mcp_sessions", help: "Sessions.", type: "gauge", labels: { listener: "farm" }, value: 3 },
  ]);
});
