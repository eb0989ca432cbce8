import type { Metric } from "@steading/server";

const LINE = /^(steading_\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="([^"\\]*)"/g;

/**
 * What a second shell of this process counts, as metrics of the first, told apart by these labels. Only what is the
 * shell's own: the process is there once.
 */
export function metricsOfText(text: string, labels: Readonly<Record<string, string>>): readonly Metric[] {
  const helps = new Map<string, string>();
  const types = new Map<string, Metric["type"]>();
  const metrics: Metric[] = [];
  for (const line of text.split("\n")) {
    const [hash, what, name = "", ...rest] = line.split(" ");
    if (hash === "#" && what === "HELP") helps.set(name, rest.join(" "));
    if (hash === "#" && what === "TYPE") types.set(name, rest[0] === "counter" ? "counter" : "gauge");
    const found = LINE.exec(line);
    if (!found) continue;
    const [, own = "", theirs = "", value] = found;
    const given = Object.fromEntries([...theirs.matchAll(LABEL)].map(([, key = "", word = ""]) => [key, word]));
    metrics.push({
      name: own,
      help: helps.get(own) ?? "",
      type: types.get(own) ?? "gauge",
      labels: { ...given, ...labels },
      read: () => Number(value),
    });
  }
  return metrics;
}
