import { expect, test } from "vitest";
import { createRequestCounter } from "./request-counter.ts";

test("beyond its bound tools are counted together, and none is lost", () => {
  const requests = createRequestCounter(3);
  const about = { method: "tools/call", era: "modern", transport: "http", role: "viewer", hot: true } as const;
  for (let i = 0; i < 100; i++) requests.count({ ...about, tool: `tool-${i}` }, "complete");
  const told = requests.metrics().map(({ labels, read }) => [labels?.["tool"], read()]);
  expect(told).toEqual([
    ["tool-0", 1],
    ["tool-1", 1],
    ["tool-2", 1],
    ["other", 97],
  ]);
});
