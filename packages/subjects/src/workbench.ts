import {
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createMemoryLedger,
  createRealClock,
  createReception,
  silentLog,
  type Caller,
  type Clock,
  type Door,
  type Log,
  type Reception,
} from "@steading/kernel";
import { createGraph } from "./graph/create-graph.ts";
import type { Graph } from "./graph/graph.ts";
import { declaredMethods, state } from "./paths/path-providers.ts";
import { createSubjectTools } from "./tools/create-subject-tools.ts";

/** A hub in miniature, in memory, to try a device on. A hub's own composition gives a part the same things. */
export interface Workbench {
  readonly graph: Graph;
  /** What leaves for a device goes through here, with receipts as in the product. */
  readonly door: Door;
  /** Stamps what arrives from a device. */
  readonly reception: Reception;
  /** Calls one of the tools as an operator, and gives the answer that a client would see. */
  call(tool: string, args?: object): Promise<unknown>;
  close(): Promise<void>;
}

const OPERATOR: Caller = { principal: "workbench", role: "operator", transport: "internal", correlation: "workbench" };

export function createWorkbench({
  clock = createRealClock(),
  log = silentLog,
}: { readonly clock?: Clock; readonly log?: Log } = {}): Workbench {
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const door = createDoor({ ledger, journal, clock, reception, approvals, log, access: () => "write" });
  const graph = createGraph({ clock, log });
  const tools = createSubjectTools(graph, (config) => {
    config.pathProvider = state();
    config.addMetadataProvider(declaredMethods());
  });
  const dispatcher = createDispatcher({ toolsets: [tools, tools.extras], door, clock, log });
  return {
    graph,
    door,
    reception,
    async call(tool, args = {}) {
      const result = await dispatcher.call({ tool, arguments: { ...args }, caller: OPERATOR });
      if (result.kind === "unknown-tool") throw new Error(`There is no tool ${tool}.`);
      return result.kind === "error" ? result.error.toJson() : result.structured;
    },
    close: () => graph.close(),
  };
}
