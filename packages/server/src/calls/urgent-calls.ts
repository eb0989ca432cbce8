import { isJsonObject, type Caller } from "@steading/kernel";
import type { Window } from "../http/route.ts";
import { callsIn } from "../limits/call-seats.ts";
import type { ToolPages } from "../lists/tool-pages.ts";

type Who = Pick<Caller, "role" | "scope">;

/** Tells calls that make things safe from all others, before they run. */
export interface UrgentCalls {
  /** By the tool's name as the client wrote it. */
  isUrgent(call: { readonly name: unknown; readonly arguments: unknown }, who: Who, window: Window): boolean;
  /** How many of them a body asks for. */
  countIn(body: unknown, who: Who, window: Window): number;
}

export function createUrgentCalls({ pages }: { readonly pages: Pick<ToolPages, "listFor"> }): UrgentCalls {
  const isUrgent: UrgentCalls["isUrgent"] = ({ name: given, arguments: args }, who, window) => {
    if (typeof given !== "string") return false;
    const { names, tools } = pages.listFor(who, window);
    const name = window.names === "safe" ? names.fromSafe(given) : given;
    return tools.get(name)?.isUrgent?.(args) === true;
  };
  return {
    isUrgent,
    countIn: (body, who, window) =>
      callsIn(body, ({ params }) => {
        if (!isJsonObject(params)) return false;
        return isUrgent({ name: params["name"], arguments: params["arguments"] }, who, window);
      }),
  };
}
