import { millis, type Clock } from "@steading/kernel";
import type { Metric } from "./metrics.ts";

/** How the process itself does, under the names that everybody's dashboards know. */
export function createProcessMetrics({ clock }: { readonly clock: Pick<Clock, "monotonic"> }): readonly Metric[] {
  const started = clock.monotonic();
  const gauge = (name: string, help: string, read: () => number): Metric => ({ name, help, type: "gauge", read });
  return [
    gauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss()),
    gauge("nodejs_heap_size_used_bytes", "Memory of live objects and of garbage not yet collected.", () => {
      return process.memoryUsage().heapUsed;
    }),
    gauge("steading_uptime_seconds", "Since the hub was put together.", () => {
      return millis(clock.monotonic() - started) / 1_000;
    }),
    {
      name: "process_cpu_seconds_total",
      help: "Processor time of the process.",
      type: "counter",
      read: () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000_000,
    },
  ];
}
