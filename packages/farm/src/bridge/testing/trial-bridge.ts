import {
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createMemoryLedger,
  createReception,
  silentLog,
  type Caller,
  type Clock,
  type JsonObject,
  type Role,
} from "@steading/kernel";
import { createFarmBridge, type FarmBridge, type FarmBridgeDeps } from "../farm-bridge.ts";

export interface TrialBridge {
  readonly bridge: FarmBridge;
  /** A call that must succeed. */
  answer(
    tool: string,
    args?: unknown,
    caller?: Caller,
  ): Promise<{ readonly structured: JsonObject; readonly text: unknown }>;
  /** A call that must be refused: what the client gets to read. */
  refusal(tool: string, args?: unknown, caller?: Caller): Promise<Record<string, unknown>>;
  /** Whoever came with this token. */
  person(token: string): Promise<Caller>;
  stop(): Promise<void>;
}

/** Somebody without a login at the core. */
export function stranger(role: Role = "operator"): Caller {
  return { principal: "mcp-api-key", role, transport: "internal", correlation: "trial" };
}

/** A bridge with the real door and dispatcher in front of it. */
export function createTrialBridge(deps: Omit<FarmBridgeDeps, "log">): TrialBridge {
  const { clock }: { clock: Clock } = deps;
  const log = silentLog;
  const ledger = createMemoryLedger({ clock });
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const door = createDoor({ ledger, journal, clock, reception, approvals, log, access: () => "write" });
  const bridge = createFarmBridge({ openSocket: null, ...deps, log });
  const dispatcher = createDispatcher({ toolsets: bridge.toolsets, door, clock, log });

  async function call(tool: string, args: unknown, caller: Caller) {
    const result = await dispatcher.call({ tool, arguments: args, caller });
    if (result.kind === "unknown-tool") throw new Error(`There is no tool ${tool}.`);
    return result;
  }
  return {
    bridge,
    async answer(tool, args = {}, caller = stranger()) {
      const result = await call(tool, args, caller);
      if (result.kind === "error") throw result.error;
      const problems = bridge.toolsets[0]?.tools.find(({ name }) => name === tool)?.answerProblems?.(result.structured);
      if (problems?.length !== 0) throw new Error(`The answer does not fit its schema: ${problems?.join("; ")}`);
      return { structured: result.structured, text: JSON.parse(result.text) as unknown };
    },
    async refusal(tool, args = {}, caller = stranger()) {
      const result = await call(tool, args, caller);
      if (result.kind !== "error") throw new Error("It should have been refused.");
      return JSON.parse(result.text) as Record<string, unknown>;
    },
    async person(token) {
      const who = await bridge.authenticator.authenticate(token);
      if (!who) throw new Error("Nobody has this token.");
      return { ...stranger(who.role), principal: who.principal, ...(who.credential && { credential: who.credential }) };
    },
    stop: () => bridge.stop(),
  };
}
