import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { effectiveRole, roleAtLeast, type Caller, type Cancel } from "@steading/kernel";
import { fromCursor, toCursor } from "../lists/cursor.ts";
import type { PromptInfo, PromptSource } from "./prompt-source.ts";

export interface PromptPage {
  readonly prompts: readonly Omit<PromptInfo, "minimumRole">[];
  readonly nextCursor?: string;
}

export interface PromptShelf {
  /** Undefined: the cursor is none of ours. */
  page(caller: Caller, cursor: string | undefined): PromptPage | undefined;
  /** Does anybody see less than everybody? Then a list is for its caller alone. */
  readonly filtered: boolean;
  get(
    name: string,
    given: Readonly<Record<string, string>> | undefined,
    context: { readonly caller: Caller; readonly mcp: ServerContext },
  ): Promise<GetPromptResult | InputRequiredResult>;
  onListChanged(listener: () => void): Cancel;
}

export function createPromptShelf({
  sources,
  perPage,
}: {
  readonly sources: readonly PromptSource[];
  readonly perPage: number;
}): PromptShelf {
  const all = (): readonly PromptInfo[] => sources.flatMap((source) => source.list());
  function visible(info: PromptInfo, caller: Caller): boolean {
    return info.minimumRole === undefined || roleAtLeast(effectiveRole(caller), info.minimumRole);
  }

  return {
    page(caller, cursor) {
      const offset = cursor === undefined ? 0 : fromCursor(cursor);
      const shown = all().filter((info) => visible(info, caller));
      if (offset === undefined || (cursor !== undefined && (offset === 0 || offset >= shown.length))) return undefined;
      const end = offset + perPage;
      return {
        prompts: shown.slice(offset, end).map(({ minimumRole: _, ...rest }) => rest),
        ...(end < shown.length ? { nextCursor: toCursor(0, end) } : {}),
      };
    },
    get filtered() {
      return all().some((info) => info.minimumRole !== undefined);
    },
    async get(name, given = {}, context) {
      for (const source of sources) {
        const info = source.list().find((each) => each.name === name && visible(each, context.caller));
        if (info === undefined) continue;
        const missing = (info.arguments ?? []).filter(
          (argument) => argument.required === true && given[argument.name] === undefined,
        );
        if (missing.length > 0)
          throw invalid(`Prompt ${name} needs ${missing.map((argument) => argument.name).join(", ")}`);
        const result = await source.get(name, given, context);
        if (result !== undefined) return result;
      }
      throw invalid(`Unknown prompt: ${name}`);
    },
    onListChanged(listener) {
      const cancels = sources.map((source) => source.onListChanged?.(listener));
      return () => cancels.forEach((cancel) => cancel?.());
    },
  };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
