import type { Caller, Log } from "@steading/kernel";
import { graphOf } from "../graph/graph-of.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphView } from "../graph/view.ts";
import type { PathProvider } from "../info/providers.ts";
import type { Subject } from "../instance/subject.ts";
import { createAccess, type Access } from "./access.ts";
import { createMetadata, type Metadata } from "./metadata.ts";
import { rebasedView } from "./rebased-view.ts";
import { createRememberedCalls, type RememberedCalls } from "./remembered-calls.ts";
import { toolError } from "./tool-errors.ts";
import type { CollectedConfig, SubjectToolsConfig } from "./tools-config.ts";
import { createTypeCatalogue, type TypeCatalogue } from "./type-catalogue.ts";

/** A subject, a function that gives one, or the graph itself. Looked at for every call: the root may be replaced. */
export type ToolRoot = Subject | Graph | (() => Subject | Graph);

/** Everything one call looks at: the graph, as this caller may see it. */
export interface World {
  readonly graph: Graph;
  /** What is read: the live graph or a capture. */
  readonly view: GraphView;
  readonly provider: PathProvider;
  readonly caller: Caller;
  readonly access: Access;
  readonly metadata: Metadata;
  readonly types: TypeCatalogue;
  readonly config: SubjectToolsConfig;
  readonly log: Log;
  /** Calls with an idempotency key. */
  readonly once: RememberedCalls;
}

export interface Worlds {
  open(caller: Caller, snapshotId?: string): World;
  graph(): Graph;
  readonly config: SubjectToolsConfig;
}

export function createWorlds({ root, collected }: { root: ToolRoot; collected: CollectedConfig }): Worlds {
  const { config, metadataProviders, typeProviders } = collected;
  const metadata = createMetadata({ providers: metadataProviders, log: () => config.log ?? graph().log });

  const once = createRememberedCalls({ clock: () => graph().clock });

  /** The graph, and where these tools begin if that is not its root. */
  function place(): { readonly graph: Graph; readonly top?: Subject } {
    const given = typeof root === "function" ? root() : root;
    if (!("$graph" in given)) return { graph: given };
    const graph = graphOf(given);
    if (graph === undefined)
      throw toolError("SOURCE_UNAVAILABLE", "The root of these tools is not attached to a graph.");
    return given === graph.root ? { graph } : { graph, top: given };
  }
  const graph = (): Graph => place().graph;

  return {
    config,
    graph,
    open(caller, snapshotId) {
      const { graph: live, top } = place();
      const log = config.log ?? live.log;
      const whole = snapshotId === undefined ? live : config.snapshots?.open(snapshotId, caller);
      if (whole === undefined)
        throw toolError(
          "SNAPSHOT_NOT_FOUND",
          `There is no snapshot ${JSON.stringify(snapshotId?.slice(0, 100))}, or it has expired.`,
        );
      const view = top === undefined ? whole : rebasedView(whole, top, config.pathProvider);
      if (view === undefined)
        throw toolError("SOURCE_UNAVAILABLE", "The root of these tools cannot be reached by any path.");
      const types = createTypeCatalogue({ registry: live.registry, typeProviders, metadata });
      const access = createAccess({ caller, config, log });
      return { graph: live, view, provider: config.pathProvider, caller, access, metadata, types, config, log, once };
    },
  };
}
