import type { Log } from "@steading/kernel";

/** Numbers for people who watch the hub, in the text form that Prometheus reads. */
export interface Metrics {
  /** `read` is asked when somebody looks; it must be cheap. `labels` values are our own words, never a client's. */
  add(metric: Metric): void;
  render(): string;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly labels?: Readonly<Record<string, string>>;
  read(): number;
}

/** Lines of one answer. What is beyond them is counted in it. */
const MOST_SERIES = 5_000;
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export function createMetrics({
  log,
  more = () => [],
  mostSeries = MOST_SERIES,
}: {
  readonly log: Log;
  /** What others count, asked for each time somebody looks. */
  more?(): readonly Metric[];
  readonly mostSeries?: number;
}): Metrics {
  const own: Metric[] = [];
  let failed = 0;
  let cut = 0;
  const about = (name: string, help: string, read: () => number): Metric => ({ name, help, type: "counter", read });
  const ofThese = [
    about("steading_metrics_failed_total", "Numbers that could not be read or written.", () => failed),
    about("steading_metrics_cut_total", "Numbers left out because there were too many.", () => cut),
  ];

  /** One broken counter must not hide all the others. */
  function lineOf(metric: Metric): string | undefined {
    try {
      const value = metric.read();
      if (typeof value === "number" && isWellFormed(metric)) return `${metric.name}${labelsOf(metric)} ${value}`;
      throw new TypeError("No number, or a name that Prometheus would not read");
    } catch (error) {
      failed++;
      log.error("A metric could not be told.", error, { metric: String(metric.name).slice(0, 100) });
      return undefined;
    }
  }
  function others(): readonly Metric[] {
    try {
      return more();
    } catch (error) {
      failed++;
      log.error("The metrics of the other parts could not be told.", error);
      return [];
    }
  }

  return {
    add: (metric) => void own.push(metric),
    render() {
      const all = [...own, ...others()];
      if (all.length > mostSeries) cut += all.length - mostSeries;
      const families = new Map<string, { readonly head: Metric; readonly lines: string[] }>();
      // Last, so that they tell what happened to the ones before them.
      for (const metric of [...all.slice(0, mostSeries), ...ofThese]) {
        const line = lineOf(metric);
        if (line === undefined) continue;
        const family = families.get(metric.name);
        if (family === undefined) families.set(metric.name, { head: metric, lines: [line] });
        else family.lines.push(line);
      }
      const text = [...families.values()].flatMap(({ head, lines }) => [
        `# HELP ${head.name} ${head.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${head.name} ${head.type}`,
        ...lines,
      ]);
      return `${text.join("\n")}\n`;
    },
  };
}

function isWellFormed({ name, labels = {} }: Metric): boolean {
  return NAME.test(name) && Object.keys(labels).every((label) => LABEL.test(label));
}

function labelsOf({ labels }: Metric): string {
  if (labels === undefined) return "";
  return `{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, escaped)}"`)
    .join(",")}}`;
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}
