import type { IncomingMessage, ServerResponse } from "node:http";

const ALLOWED_HEADERS =
  "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";
const EXPOSED_HEADERS = "Mcp-Session-Id, WWW-Authenticate";
const METHODS = "GET, POST, DELETE, OPTIONS";
/** Of parts' routes, which MCP does without. */
const ROUTE_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * Tells browsers that a configured page may read our answers. The Origin itself was checked before. Credentials mode
 * stays off: tokens travel in a header that the page sets.
 */
export interface Cors {
  /** True: it was a preflight, and it is answered. */
  handle(req: IncomingMessage, res: ServerResponse): boolean;
}

/** `pages` are host names, as in the Origin check; loopback is not among them unless it was configured. */
export function createCors({ pages }: { readonly pages: readonly string[] }): Cors {
  const configured = new Set(pages.map((name) => name.toLowerCase()));
  function isConfigured(origin: string): boolean {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    return url !== undefined && (configured.has(url.hostname) || configured.has(`${url.protocol}//*`));
  }
  return {
    handle(req, res) {
      const { origin } = req.headers;
      if (origin === undefined || !isConfigured(origin)) return false;
      res.setHeader("Access-Control-Allow-Origin", origin);
      res.setHeader("Access-Control-Expose-Headers", EXPOSED_HEADERS);
      res.setHeader("Vary", "Origin");
      if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) return false;
      res.writeHead(204, {
        "Access-Control-Allow-Methods": req.url?.startsWith("/mcp") === true ? METHODS : ROUTE_METHODS,
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": "600",
      });
      res.end();
      return true;
    },
  };
}
