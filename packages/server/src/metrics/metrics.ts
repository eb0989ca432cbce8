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

export function createMetrics(): Metrics {
  const byName = new Map<string, Metric[]>();
  return {
    add(metric) {
      const known = byName.get(metric.name);
      if (known === undefined) byName.set(metric.name, [metric]);
      else known.push(metric);
    },
    render() {
      const lines = [...byName].flatMap(([name, metrics]) => [
        `# HELP ${name} ${metrics[0]?.help ?? ""}`,
        `# TYPE ${name} ${metrics[0]?.type ?? "gauge"}`,
        ...metrics.map((metric) => `${name}${labelsOf(metric)} ${metric.read()}`),
      ]);
      return `${lines.join("\n")}\n`;
    },
  };
}

function labelsOf({ labels }: Metric): string {
  if (labels === undefined) return "";
  return `{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value}"`)
    .join(",")}}`;
}
