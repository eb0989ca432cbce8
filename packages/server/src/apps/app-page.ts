import type { JsonObject } from "@steading/kernel";
import type { ResourceSource } from "../lists/resource-source.ts";

export const UI_EXTENSION = "io.modelcontextprotocol/ui";
const UI_MIME_TYPE = "text/html;profile=mcp-app";

/** A page that a host may show beside a tool's answer. The tool stays fully useful as text. */
export interface AppPage {
  /** Becomes `ui://steading/<name>.html`. */
  readonly name: string;
  readonly title: string;
  /** The tools it belongs to. */
  readonly tools: readonly string[];
  /** Who may see those tools: the model, the page, or both (the default). A hint to hosts, never access control. */
  readonly visibility?: readonly ("model" | "app")[];
  /** One whole document with its script and style inside, and without secrets: it is the same for everybody. */
  html(): string;
  readonly csp?: {
    readonly connectDomains?: readonly string[];
    readonly resourceDomains?: readonly string[];
    readonly frameDomains?: readonly string[];
    readonly baseUriDomains?: readonly string[];
  };
  readonly permissions?: JsonObject;
  readonly domain?: string;
  readonly prefersBorder?: boolean;
}

export interface AppPages {
  /** `_meta` of a tool that has a page. */
  metaOf(tool: string): JsonObject | undefined;
  readonly source: ResourceSource;
}

/** What makes a browser fetch a second document; a host gives a page to no other address than the one it was read from. */
const LOADS_MORE =
  /<link\b|<base\b|@import\b|<(?:script|img|iframe|audio|video|source|track|embed|object)\b[^>]*\s(?:src|data|srcset)\s*=(?!\s*["']?data:)|\burl\((?!\s*["']?(?:data:|#))/i;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

export function createAppPages(pages: readonly AppPage[]): AppPages {
  const byUri = new Map<string, AppPage>();
  const metas = new Map<string, JsonObject>();
  for (const page of pages) {
    if (!NAME.test(page.name))
      throw new RangeError(`A page's name is 1 to 64 of a-z 0-9 - and ${JSON.stringify(page.name)} is not.`);
    if (LOADS_MORE.test(page.html()))
      throw new RangeError(`The page ${page.name} loads something else; its script, style and images belong inside.`);
    const uri = uriOf(page);
    byUri.set(uri, page);
    const ui: JsonObject = {
      resourceUri: uri,
      ...(page.visibility === undefined ? {} : { visibility: [...page.visibility] }),
    };
    // Older hosts look for the flat key.
    for (const tool of page.tools) metas.set(tool, { ui, "ui/resourceUri": uri });
  }
  const infos = [...byUri]
    .map(([uri, { name, title }]) => ({ uri, name, title, mimeType: UI_MIME_TYPE }))
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
  return {
    metaOf: (tool) => metas.get(tool),
    source: {
      scheme: "ui",
      forAnyToken: true,
      list: (_, { after, limit }) => infos.filter(({ uri }) => after === undefined || uri > after).slice(0, limit),
      read(uri) {
        const page = byUri.get(uri);
        if (page === undefined) return Promise.resolve(undefined);
        return Promise.resolve({ uri, mimeType: UI_MIME_TYPE, text: page.html(), meta: { ui: wishesOf(page) } });
      },
    },
  };
}

function uriOf({ name }: AppPage): string {
  return `ui://steading/${name}.html`;
}

/** Hosts read these from the document, not from the tool. What is not named is not allowed. */
function wishesOf({ csp, permissions, domain, prefersBorder }: AppPage): JsonObject {
  const domains = Object.entries(csp ?? {}).map(([kind, names]) => [kind, [...names]] as const);
  return {
    csp: Object.fromEntries(domains),
    ...(permissions === undefined ? {} : { permissions }),
    ...(domain === undefined ? {} : { domain }),
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
}
