import { createHash } from "node:crypto";
import type { Tool as WireTool } from "@modelcontextprotocol/server";
import { effectiveRole, type Caller, type Dispatcher, type Tool } from "@steading/kernel";
import type { AppPages } from "../apps/app-page.ts";
import type { Window } from "../http/route.ts";
import type { NativeTools } from "../native/native-tools.ts";
import { fromCursor, toCursor } from "./cursor.ts";
import { createSafeNames, type SafeNames } from "./safe-names.ts";
import { visibleTools } from "./visible-tools.ts";

export interface ToolPage {
  readonly tools: WireTool[];
  readonly nextCursor?: string;
}

/** All that one kind of caller sees through one window, ready for the wire. */
export interface ToolList {
  readonly pages: readonly ToolPage[];
  readonly names: SafeNames;
  /** By their real names. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Equal exactly when the wire would show the same. */
  readonly fingerprint: string;
}

export interface ToolPages {
  /** Equal for callers who see the same. */
  audienceOf(caller: Pick<Caller, "role" | "scope">, window: Window): string;
  listFor(caller: Pick<Caller, "role" | "scope">, window: Window): ToolList;
  /** Undefined: the cursor is none of ours, or points past the end. */
  page(caller: Pick<Caller, "role" | "scope">, window: Window, cursor: string | undefined): ToolPage | undefined;
}

/** Distinct combinations of role, scope and window kept ready; a site has a handful. */
const KEPT = 128;

/** Lists are made once per generation and shared by every client of the same kind. */
export function createToolPages({
  dispatcher,
  natives,
  apps,
  toolsPerPage,
  descriptionBytes,
}: {
  readonly dispatcher: Dispatcher;
  readonly natives: NativeTools;
  readonly apps: Pick<AppPages, "metaOf">;
  readonly toolsPerPage: number;
  readonly descriptionBytes: number;
}): ToolPages {
  const lists = new Map<string, ToolList>();
  /** The same caller mostly looks through the same window. */
  const lastOf = new WeakMap<
    object,
    { readonly window: Window; readonly generation: number; readonly list: ToolList }
  >();
  const made = new WeakMap<Tool, WireTool>();
  let generation = -1;

  function listFor(caller: Pick<Caller, "role" | "scope">, window: Window): ToolList {
    // Both only grow, so their sum stands for both.
    const current = dispatcher.generation + natives.generation;
    if (generation !== current) {
      generation = current;
      lists.clear();
    }
    const last = lastOf.get(caller);
    if (last !== undefined && last.window === window && last.generation === generation) return last.list;
    const list = lookUp(caller, window);
    lastOf.set(caller, { window, generation, list });
    return list;
  }

  function lookUp(caller: Pick<Caller, "role" | "scope">, window: Window): ToolList {
    const key = audienceOf(caller, window);
    const known = lists.get(key);
    if (known !== undefined) return known;
    if (lists.size >= KEPT) lists.clear();
    const list = makeList(caller, window);
    lists.set(key, list);
    return list;
  }

  function makeList(caller: Pick<Caller, "role" | "scope">, window: Window): ToolList {
    const tools = visibleTools(dispatcher, caller, window.view);
    const native = window.view.kind === "all" ? natives.visibleTo(caller).map((tool) => tool.definition) : [];
    const definitions = [...tools.map(definitionOf), ...native];
    const names = createSafeNames(definitions.map((definition) => definition.name));
    const wire =
      window.names === "safe" ? definitions.map((each) => ({ ...each, name: names.toSafe(each.name) })) : definitions;
    const pages: ToolPage[] = [];
    for (let start = 0; start === 0 || start < wire.length; start += toolsPerPage) {
      const end = start + toolsPerPage;
      const more = end < wire.length ? { nextCursor: toCursor(generation, end) } : {};
      pages.push({ tools: wire.slice(start, end), ...more });
    }
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return {
      pages,
      names,
      tools: byName,
      fingerprint: createHash("sha256").update(JSON.stringify(wire)).digest("base64"),
    };
  }

  function definitionOf(tool: Tool): WireTool {
    const description = cut(tool.description(), descriptionBytes);
    const known = made.get(tool);
    if (known !== undefined && known.description === description) return known;
    const meta = apps.metaOf(tool.name);
    const definition: WireTool = {
      name: tool.name,
      title: tool.title,
      description,
      // The kernel makes object schemas only; the SDK's type cannot see that.
      inputSchema: tool.inputSchema as WireTool["inputSchema"],
      ...(tool.outputSchema === undefined
        ? {}
        : { outputSchema: tool.outputSchema as WireTool["outputSchema"] & object }),
      annotations: { ...tool.annotations },
      ...(meta === undefined ? {} : { _meta: { ...meta } }),
    };
    made.set(tool, definition);
    return definition;
  }

  return {
    audienceOf,
    listFor,
    page(caller, window, cursor) {
      const { pages } = listFor(caller, window);
      // The empty string is a cursor like any other, and not one of ours.
      if (cursor === undefined) return pages[0];
      const offset = fromCursor(cursor);
      if (offset === undefined || offset === 0 || offset % toolsPerPage !== 0) return undefined;
      return pages[offset / toolsPerPage];
    },
  };
}

/** Reads role and scope only, which is all that a list depends on besides the window. */
function audienceOf(caller: Pick<Caller, "role" | "scope">, { view, names }: Window): string {
  const where = view.kind === "toolset" ? `toolset ${view.name}` : view.kind;
  const role = effectiveRole(caller as Caller);
  return caller.scope?.toolsets === undefined
    ? `${role} ${names} ${where}`
    : `${role} ${names} ${where} ${JSON.stringify(caller.scope.toolsets)}`;
}

/** Cut at a character's border, with a mark that something is missing. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  return `${new TextDecoder().decode(whole.subarray(0, bytes - 3), { stream: true })}…`;
}
