import type { Health, Part } from "@steading/kernel";
import type { Graph, SourceHandle } from "@steading/subjects";
import { createFarmSource } from "./graph/farm-source.ts";
import { createFarmCore, type FarmCore, type FarmCoreDeps } from "./model/farm-core.ts";

export interface FarmPartDeps extends FarmCoreDeps {
  readonly graph: Graph;
}

export interface FarmPart extends Part {
  /** For the composition root: importing rows, and the demo's equipment. */
  readonly core: FarmCore;
}

const MOUNT = "/farm";

/** The farm: equipment on Modbus, zones, readings, alerts and automations, below `/farm`. */
export function createFarmPart({ graph, ...deps }: FarmPartDeps): FarmPart {
  const core = createFarmCore(deps);
  const { book, field } = core;
  let handle: SourceHandle | undefined;

  return {
    name: "farm",
    core,
    toolsets: [],
    async start(signal) {
      if (handle) return;
      handle = graph.addSource("farm", createFarmSource(core), { mount: MOUNT });
      await handle.start(signal);
      field.start();
    },
    async stop() {
      const stopping = handle;
      handle = undefined;
      await field.stop();
      await stopping?.stop();
    },
    health(): Health {
      const all = book.list().filter((equipment) => equipment.enabled);
      const away = all.filter(({ id }) => ["error", "offline"].includes(book.state(id).status));
      if (away.length === 0) return { status: "ok" };
      return { status: "degraded", reason: `${away.length} of ${all.length} devices do not answer.` };
    },
  };
}
