import { seconds, type Clock, type Tool } from "@steading/kernel";
import type { Identity } from "../eras/identity.ts";
import type { Window } from "../http/route.ts";
import type { ToolList, ToolPages } from "../lists/tool-pages.ts";
import type { NativeTools } from "../native/native-tools.ts";

/** A plain tool answers faster than this; one that was seen not to is plain no more. */
const PLAIN_WITHIN = seconds(2);

export interface PlainTool {
  readonly listed: ToolList;
  /** Called when its call is over, to find out about tools that are slower than they say. */
  ended(): void;
}

/** Tools that need nothing of a protocol instance: they only read, ask nobody, and answer soon. */
export interface PlainTools {
  /** Undefined: unknown, or not plain. */
  find(name: string, identity: Identity, window: Window): PlainTool | undefined;
}

export function createPlainTools({
  pages,
  natives,
  clock,
}: {
  readonly pages: Pick<ToolPages, "listFor">;
  readonly natives: NativeTools;
  readonly clock: Pick<Clock, "monotonic">;
}): PlainTools {
  const slow = new WeakSet<Tool>();

  function isPlain(tool: Tool): boolean {
    const bounded = tool.deadline === undefined || tool.deadline <= PLAIN_WITHIN;
    return tool.intent === "READ_ONLY" && tool.confirm === "plain" && bounded && !slow.has(tool);
  }

  return {
    find(given, identity, window) {
      const listed = pages.listFor(identity, window);
      const name = window.names === "safe" ? listed.names.fromSafe(given) : given;
      const tool = listed.tools.get(name);
      if (tool === undefined) {
        const native = window.view.kind === "all" ? natives.find(name, identity) : undefined;
        return native?.plain === true ? { listed, ended() {} } : undefined;
      }
      if (!isPlain(tool)) return undefined;
      const startedAt = clock.monotonic();
      return {
        listed,
        ended() {
          if (clock.monotonic() - startedAt >= PLAIN_WITHIN) slow.add(tool);
        },
      };
    },
  };
}
