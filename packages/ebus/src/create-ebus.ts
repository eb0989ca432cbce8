import type { Graph } from "@steading/subjects";
import { createEbusPart, type EbusPart, type EbusPartDeps } from "./ebus-part.ts";
import { createHeatingSubjects } from "./graph/heating-view.ts";

export type EbusDeps = Omit<EbusPartDeps, "view"> & { readonly graph: Graph };

/** The heating bus with its subjects below `/heating`. */
export function createEbus({ graph, ...deps }: EbusDeps): EbusPart {
  const subjects = createHeatingSubjects(graph);
  const part = createEbusPart({ ...deps, view: subjects });
  return {
    name: part.name,
    toolsets: part.toolsets,
    bus: part.bus,
    get devices() {
      return part.devices;
    },
    async start(signal) {
      await subjects.start();
      await part.start(signal);
    },
    async stop() {
      await part.stop();
      await subjects.stop();
    },
    health: () => part.health(),
  };
}
