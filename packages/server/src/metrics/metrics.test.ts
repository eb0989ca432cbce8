import { silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { counterMetrics } from "./counter-metrics.ts";
import { createMetrics, type Metric } from "./metrics.ts";

const gauge = (name: string, read: () => number, labels?: Metric["labels"]): Metric => ({
  name,
  help: "For a test.",
  type: "gauge",
  read,
  ...(labels === undefined ? {} : { labels }),
});

test("numbers of one name stand together under one heading", () => {
  const metrics = createMetrics({ log: silentLog, more: () => [gauge("a", () => 3, { of: "c" })] });
  metrics.add(gauge("a", () => 1, { of: "b" }));
  metrics.add(gauge("z", () => 2));
  expect(metrics.render()).toContain(
    '# HELP a For a test.\n# TYPE a gauge\na{of="b"} 1\na{of="c"} 3\n# HELP z For a test.\n# TYPE z gauge\nz 2\n',
  );
});

test("what others count is read each time somebody looks", () => {
  let value = 1;
  const metrics = createMetrics({ log: silentLog, more: () => [gauge("a", () => value)] });
  expect(metrics.render()).toContain("\na 1\n");
  value = 2;
  expect(metrics.render()).toContain("\na 2\n");
});

test("a number that cannot be read hides no other and is counted", () => {
  const broken = (): number => {
    throw new Error("broken");
  };
  const metrics = createMetrics({
    log: silentLog,
    more: () => [
      gauge("a", broken),
      gauge("not a name", () => 1),
      gauge("b", () => 1),
      gauge("c", () => 1, { "d-e": "f" }),
    ],
  });
  const text = metrics.render();
  expect(text).toContain("\nb 1\n");
  expect(text).not.toMatch(/^a |not a name|d-e/m);
  expect(text).toContain("steading_metrics_failed_total 3\n");
});

test("a part whose metrics fail as a whole hides nobody else's", () => {
  const metrics = createMetrics({
    log: silentLog,
    more() {
      throw new Error("broken");
    },
  });
  metrics.add(gauge("a", () => 1));
  expect(metrics.render()).toContain("a 1\n");
});

test("no answer has more numbers than its limit, and what was left out is counted", () => {
  const many = Array.from({ length: 20 }, (_, i) => gauge("a", () => i, { n: String(i) }));
  const metrics = createMetrics({ log: silentLog, more: () => many, mostSeries: 5 });
  const text = metrics.render();
  expect(text.match(/^a\{/gm)).toHaveLength(5);
  expect(text).toContain("steading_metrics_cut_total 15\n");
});

test("a label cannot break out of its line", () => {
  const metrics = createMetrics({ log: silentLog, more: () => [gauge("a", () => 1, { of: 'x"} 9\nb \\' })] });
  expect(metrics.render()).toContain('\na{of="x\\"} 9\\nb \\\\"} 1\n');
});

test("counters become metrics by their names, also those inside others", () => {
  const metrics = createMetrics({
    log: silentLog,
    more: () =>
      counterMetrics({
        prefix: "steading_door",
        help: "What the door did.",
        gauges: ["lanes.waiting"],
        read: () => ({ sent: 4, observedAgain: 1, lanes: { waiting: 2 }, since: "noon", none: undefined }),
      }),
  });
  const text = metrics.render();
  expect(text).toContain("# TYPE steading_door_sent_total counter\nsteading_door_sent_total 4\n");
  expect(text).toContain("steading_door_observed_again_total 1\n");
  expect(text).toContain("# TYPE steading_door_lanes_waiting gauge\nsteading_door_lanes_waiting 2\n");
  expect(text).not.toContain("since");
});
