import {
  createDispatcher,
  type CallRequest,
  type Clock,
  type Dispatcher,
  type Door,
  type Health,
  type Log,
  type Toolset,
} from "@steading/kernel";
import { createAccountTools } from "../tools/account-tools.ts";
import { createUpkeepTools } from "../tools/upkeep-tools.ts";
import type { Core } from "./open-core.ts";

export interface ControlDeps {
  readonly core: Pick<Core, "accounts" | "desk" | "store" | "arming"> & { readonly door: Door };
  /** What everybody else is offered too. */
  readonly toolsets: readonly Toolset[];
  readonly clock: Clock;
  readonly log: Log;
  /** The whole hub's; the state's alone when no hub runs. */
  health(): Health;
}

/**
 * The tools for the hub's own commands. Apart from the dispatcher that clients see: making tokens and setting passwords
 * is no matter for a model. Whoever comes this way is the person at the machine.
 */
export function createControlDispatcher({ core, toolsets, clock, log, health }: ControlDeps): Dispatcher {
  const { accounts, desk, store, arming, door } = core;
  const dispatcher = createDispatcher({
    toolsets: [...toolsets, createAccountTools({ accounts, desk }), createUpkeepTools({ store, arming, health })],
    door,
    clock,
    log,
  });
  return {
    tools: dispatcher.tools,
    hasToolset: dispatcher.hasToolset,
    onChange: dispatcher.onChange,
    get generation() {
      return dispatcher.generation;
    },
    call: (request: CallRequest) => dispatcher.call({ ...request, caller: { ...request.caller, transport: "cli" } }),
  };
}
