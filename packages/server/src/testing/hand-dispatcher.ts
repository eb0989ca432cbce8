import {
  createDispatcher,
  createRealClock,
  defineTool,
  silentLog,
  type CallRequest,
  type Dispatcher,
  type Duration,
  type JsonObject,
  type Role,
  type Tool,
  type ToolContext,
  type Toolset,
} from "@steading/kernel";
import * as z from "zod";

export interface HandTool {
  readonly name: string;
  readonly toolset?: "tests" | "works";
  readonly essential?: boolean;
  readonly minimumRole?: Role;
  readonly description?: () => string;
  readonly input?: z.ZodObject;
  readonly output?: z.ZodType<object>;
  readonly intent?: "READ_ONLY" | "MUTATE";
  readonly deadline?: Duration;
  urgent?(input: Readonly<Record<string, unknown>>): boolean;
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<JsonObject> | JsonObject;
}

export interface HandDispatcher extends Dispatcher {
  add(...tools: readonly HandTool[]): void;
  remove(name: string): void;
  /** Something about the tools changed that only their descriptions show. */
  touch(): void;
  readonly calls: CallRequest[];
}

/** The kernel's dispatcher over two toolsets whose tools come and go by hand, without a door behind them. */
export function createHandDispatcher(...initial: readonly HandTool[]): HandDispatcher {
  const tests = createHandToolset("tests");
  const works = createHandToolset("works");
  const put = (hand: HandTool): void =>
    void (hand.toolset === "works" ? works : tests).byName.set(hand.name, toTool(hand));
  initial.forEach(put);
  const calls: CallRequest[] = [];
  const dispatcher = createDispatcher({
    toolsets: [tests, works],
    door: { perform: () => Promise.reject(new Error("There is no door here")) },
    clock: createRealClock(),
    log: silentLog,
  });
  return {
    tools: (view, role) => dispatcher.tools(view, role),
    hasToolset: (name) => dispatcher.hasToolset(name),
    get generation() {
      return dispatcher.generation;
    },
    onChange: (listener) => dispatcher.onChange(listener),
    call(request) {
      calls.push(request);
      return dispatcher.call(request);
    },
    calls,
    add(...tools) {
      tools.forEach(put);
      tests.tell();
    },
    remove(name) {
      tests.byName.delete(name);
      works.byName.delete(name);
      tests.tell();
    },
    touch: () => tests.tell(),
  };
}

function createHandToolset(name: string): Toolset & { readonly byName: Map<string, Tool>; tell(): void } {
  const byName = new Map<string, Tool>();
  const listeners = new Set<() => void>();
  return {
    name,
    byName,
    get tools() {
      return [...byName.values()];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: () => listeners.forEach((listener) => listener()),
  };
}

function toTool(hand: HandTool): Tool {
  return defineTool({
    name: hand.name,
    title: hand.name,
    summary: hand.description ?? `Tests ${hand.name}.`,
    input: hand.input ?? z.object({}),
    intent: hand.intent ?? "READ_ONLY",
    minimumRole: hand.minimumRole ?? "viewer",
    essential: hand.essential ?? false,
    ...(hand.output === undefined ? {} : { output: hand.output }),
    ...(hand.deadline === undefined ? {} : { deadline: hand.deadline }),
    ...(hand.urgent === undefined ? {} : { urgent: hand.urgent }),
    handler: (input, context) => hand.run(input, context),
  });
}
