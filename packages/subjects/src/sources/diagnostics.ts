import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Subject } from "../instance/subject.ts";
import type { SourceDiagnostics } from "./source.ts";

/** How a source is doing, as a subject at `/system/sources/<name>`. */
export const SourceStatus = defineSubject("steading.system.SourceStatus", {
  description: "How a source of values is doing",
  props: {
    name: p.string(),
    mount: p.string(),
    operational: p.boolean(),
    state: p.enum(["unclaimed", "synchronizing", "synchronized", "stopped"]).discrete(),
    since: p.dateTime(),
    lastError: p.string().nullable(),
    inPerSecond: p.number({ unit: "Hertz" }).nullable(),
    outPerSecond: p.number({ unit: "Hertz" }).nullable(),
    queueDepth: p.integer(),
    dropped: p.integer().cumulative(),
    claimed: p.integer(),
  },
  title: (s) => s.name,
});

export function showDiagnostics(status: Subject, { since, ...rest }: SourceDiagnostics): void {
  status.$set("since", new Date(since).toISOString());
  for (const [name, value] of Object.entries(rest)) status.$set(name, value);
}
