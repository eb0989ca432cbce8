import {
  effectiveRole,
  roleAtLeast,
  SteadingError,
  type CallRequest,
  type CallResult,
  type Dispatcher,
  type JsonObject,
  type Role,
  type Tool,
  type ToolContext,
} from "@steading/kernel";

export interface HandTool {
  readonly name: string;
  readonly toolset?: string;
  readonly essential?: boolean;
  readonly minimumRole?: Role;
  readonly description?: () => string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  run(input: JsonObject, context: Omit<ToolContext, "perform">): Promise<JsonObject> | JsonObject;
}

export interface HandDispatcher extends Dispatcher {
  add(...tools: readonly HandTool[]): void;
  remove(name: string): void;
  /** Something about the tools changed that only their descriptions show. */
  touch(): void;
  readonly calls: CallRequest[];
}

/** A dispatcher without door, schemas and flags: enough to see what the wire makes of its answers. */
export function createHandDispatcher(...initial: readonly HandTool[]): HandDispatcher {
  const tools = new Map<string, { readonly hand: HandTool; readonly tool: Tool }>();
  const listeners = new Set<() => void>();
  const calls: CallRequest[] = [];
  let generation = 0;

  function touch(): void {
    generation++;
    for (const listener of listeners) listener();
  }
  function add(...hands: readonly HandTool[]): void {
    for (const hand of hands) tools.set(hand.name, { hand, tool: toTool(hand) });
    touch();
  }
  add(...initial);

  function seen(hand: HandTool, request: Pick<CallRequest, "view">, role: Role): boolean {
    const view = request.view ?? { kind: "all" };
    if (!roleAtLeast(role, hand.minimumRole ?? "viewer")) return false;
    if (view.kind === "all") return true;
    return view.kind === "essential" ? hand.essential === true : (hand.toolset ?? "tests") === view.name;
  }

  return {
    add,
    touch,
    remove(name) {
      tools.delete(name);
      touch();
    },
    calls,
    tools: (view, role) =>
      [...tools.values()]
        .filter(({ hand }) => seen(hand, { view }, role))
        .map(({ tool }) => tool)
        .toSorted((a, b) => Number(b.essential) - Number(a.essential) || (a.name < b.name ? -1 : 1)),
    hasToolset: (name) => [...tools.values()].some(({ hand }) => (hand.toolset ?? "tests") === name),
    get generation() {
      return generation;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async call(request): Promise<CallResult> {
      calls.push(request);
      const found = tools.get(request.tool);
      if (found === undefined || !seen(found.hand, request, effectiveRole(request.caller)))
        return { kind: "unknown-tool" };
      try {
        const structured = await found.hand.run(request.arguments as JsonObject, {
          caller: request.caller,
          signal: request.signal ?? new AbortController().signal,
          progress: (done, total, message) => request.progress?.(done, total, message),
        });
        return { kind: "answer", structured, text: JSON.stringify(structured) };
      } catch (fault) {
        const error =
          fault instanceof SteadingError ? fault : new SteadingError("INTERNAL", "It failed.", { cause: fault });
        return { kind: "error", error, text: JSON.stringify(error.toJson()) };
      }
    },
  };
}

function toTool(hand: HandTool): Tool {
  return {
    name: hand.name,
    title: hand.name,
    intent: "READ_ONLY",
    confirm: "plain",
    minimumRole: hand.minimumRole ?? "viewer",
    essential: hand.essential ?? false,
    annotations: { readOnlyHint: true },
    inputSchema: hand.inputSchema ?? { type: "object" },
    outputSchema: hand.outputSchema,
    description: hand.description ?? (() => `Tests ${hand.name}.`),
    parse: (raw) => ({ input: raw, extras: {} }),
    run: async (input, context) => hand.run(input as JsonObject, context),
    text: (answer) => JSON.stringify(answer),
  };
}
