import type { InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import {
  effectiveRole,
  roleAtLeast,
  type Caller,
  type Cancel,
  type JsonObject,
  type ResourceInfo,
  type ResourceProvider,
} from "@steading/kernel";
import { fromCursor, toCursor } from "./cursor.ts";
import type { ResourceSource, ServedContent } from "./resource-source.ts";

export type ResourceTemplate = NonNullable<ResourceProvider["templates"]>[number];

export interface ResourcePage {
  readonly resources: readonly ResourceInfo[];
  readonly nextCursor?: string;
}

/** RFC 6570, level 1: names in braces and nothing else. */
const SIMPLE_TEMPLATE = /^(?:[^{}]|\{\w+\})*$/;

/** All providers as one shelf. */
export interface ResourceShelf {
  /** Undefined: the cursor is none of ours. */
  list(caller: Caller, cursor: string | undefined): ResourcePage | undefined;
  templates(
    cursor: string | undefined,
  ): { readonly templates: readonly ResourceTemplate[]; readonly nextCursor?: string } | undefined;
  /** Undefined: nothing there, or not for this caller. */
  read(uri: string, caller: Caller, mcp?: ServerContext): Promise<ServedContent | InputRequiredResult | undefined>;
  mayRead(uri: string, caller: Caller): Promise<boolean>;
  onUpdated(listener: (uri: string, meta?: JsonObject) => void): Cancel;
  onListChanged(listener: () => void): Cancel;
}

export function createResourceShelf({
  providers,
  perPage,
}: {
  readonly providers: readonly ResourceSource[];
  readonly perPage: number;
}): ResourceShelf {
  for (const { uriTemplate } of providers.flatMap((provider) => provider.templates ?? [])) {
    if (!SIMPLE_TEMPLATE.test(uriTemplate))
      throw new TypeError(`The template ${uriTemplate} needs more than the simple expansion that every client knows.`);
  }

  async function read(
    uri: string,
    caller: Caller,
    mcp?: ServerContext,
  ): Promise<ServedContent | InputRequiredResult | undefined> {
    const scheme = schemeOf(uri);
    for (const provider of providers) {
      if (provider.scheme !== scheme || !isOpenTo(provider, caller)) continue;
      const content = await provider.read(uri, caller, mcp);
      if (content !== undefined) return content;
    }
    return undefined;
  }

  return {
    list(caller, cursor) {
      const from = cursor === undefined ? { provider: 0, after: undefined } : parseCursor(cursor);
      if (from === undefined || from.provider >= Math.max(1, providers.length)) return undefined;
      const found: ResourceInfo[] = [];
      let after = from.after;
      for (let index = from.provider; index < providers.length; index++) {
        const provider = providers[index];
        if (provider === undefined || !isOpenTo(provider, caller)) continue;
        const room = perPage - found.length;
        const batch = provider.list(caller, { ...(after === undefined ? {} : { after }), limit: room });
        found.push(...batch.filter((info) => mayList(info, caller)));
        const last = batch.at(-1);
        // A full batch may have more behind it; a shorter one is the provider's last.
        if (last !== undefined && batch.length >= room)
          return { resources: found, nextCursor: makeCursor(index, last.uri) };
        after = undefined;
      }
      return { resources: found };
    },
    templates(cursor) {
      const all = providers.flatMap((provider) => provider.templates ?? []);
      const offset = cursor === undefined ? 0 : fromCursor(cursor);
      if (offset === undefined || (cursor !== undefined && (offset === 0 || offset >= all.length))) return undefined;
      const end = offset + perPage;
      return { templates: all.slice(offset, end), ...(end < all.length ? { nextCursor: toCursor(0, end) } : {}) };
    },
    read,
    // Whether something may be read is known by whoever reads it; there is no second opinion to ask.
    mayRead: async (uri, caller) => (await read(uri, caller)) !== undefined,
    onUpdated: (listener) => all(providers.map((provider) => provider.onUpdated?.(listener))),
    onListChanged: (listener) => all(providers.map((provider) => provider.onListChanged?.(listener))),
  };
}

/** Undefined for anything that is not an absolute URI of a sane length. */
function schemeOf(uri: string): string | undefined {
  if (uri.length > 2_048) return undefined;
  return /^([a-z][a-z0-9+.-]*):\/\/[^\s\p{Cc}]*$/u.exec(uri)?.[1];
}

/** A token for some toolsets is for what those tell, and for nothing that belongs to none. */
function isOpenTo({ toolset, forAnyToken }: ResourceSource, { scope }: Caller): boolean {
  if (scope?.toolsets === undefined || forAnyToken === true) return true;
  return toolset !== undefined && scope.toolsets.includes(toolset);
}

function mayList(info: ResourceInfo, caller: Caller): boolean {
  return info.minimumRole === undefined || roleAtLeast(effectiveRole(caller), info.minimumRole);
}

function all(cancels: readonly (Cancel | undefined)[]): Cancel {
  return () => {
    for (const cancel of cancels) cancel?.();
  };
}

function makeCursor(provider: number, after: string): string {
  return Buffer.from(`${provider} ${after}`).toString("base64url");
}
function parseCursor(cursor: string): { provider: number; after: string } | undefined {
  const parts = /^(\d{1,4}) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  return parts?.[1] === undefined || parts[2] === undefined
    ? undefined
    : { provider: Number(parts[1]), after: parts[2] };
}
