import { createManualClock, silentLog, type Log, type ManualClock } from "@steading/kernel";
import { createGraph } from "../../graph/create-graph.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Subject } from "../../instance/subject.ts";
import { createSubjectTools, type SubjectTools } from "../create-subject-tools.ts";
import type { Configure } from "../tools-config.ts";
import { packaged } from "./farm.ts";

/** A graph with this root, and the tools as the packaged product has them. */
export function openRoot(
  root: Subject,
  configure?: Configure,
  log: Log = silentLog,
): { readonly graph: Graph; readonly tools: SubjectTools; readonly clock: ManualClock } {
  const clock = createManualClock();
  const graph = createGraph({ clock, log, root });
  const tools = createSubjectTools(root, (config) => {
    packaged(config);
    configure?.(config);
  });
  return { graph, tools, clock };
}
