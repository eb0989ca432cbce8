import { hours, SteadingError, type PartHttp, type PartSocket, type Route, type SocketRoute } from "@steading/kernel";
import * as z from "zod";
import type { RoutedPart } from "../routes/route-sets.ts";

/** A part that a farm might have: its own form of errors, public and guarded routes, a feed. */
export interface BarnPart extends RoutedPart {
  /** The signals of the calls of `/api/slow`. */
  readonly slow: AbortSignal[];
  readonly feed: PartSocket[];
  readonly heard: (string | Uint8Array)[];
  readonly closed: string[];
}

const Id = z.object({ id: z.coerce.number().int().positive() });
const Animal = z.object({ id: z.number(), name: z.string() });

export function createBarnPart(http: Partial<PartHttp> = {}): BarnPart {
  const slow: AbortSignal[] = [];
  const feed: PartSocket[] = [];
  const heard: (string | Uint8Array)[] = [];
  const closed: string[] = [];

  const routes: Route[] = [
    {
      method: "GET",
      path: "/api/health",
      role: "public",
      input: {},
      handle: async (_input, { isKnown, caller }) => ({
        body: { status: "ok", known: isKnown, who: caller.principal },
      }),
    },
    {
      method: "GET",
      path: "/api/animals",
      role: "viewer",
      summary: "All animals.",
      input: {
        query: z.object({
          limit: z.coerce.number().int().min(1).max(10).default(5),
          tag: z.array(z.string()).optional(),
        }),
      },
      output: z.array(Animal),
      handle: async ({ query }) => ({ body: query as { limit: number } }),
    },
    {
      method: "POST",
      path: "/api/animals",
      role: "operator",
      input: { body: z.object({ name: z.string().min(1) }) },
      output: Animal,
      handle: async ({ body }) => ({ status: 201, body: { id: 7, ...(body as { name: string }) } }),
    },
    {
      method: "GET",
      path: "/api/animals/:id",
      role: "viewer",
      input: { params: Id },
      async handle({ params }) {
        const { id } = params as z.infer<typeof Id>;
        if (id === 404) throw new SteadingError("ANIMAL_UNKNOWN", "There is no such animal.");
        if (id === 422) throw new SteadingError("ANIMAL_TIRED", "It sleeps.");
        if (id === 500) throw new Error("secret inside of the barn");
        return { body: { id, name: "Berta" }, headers: { "x-barn": "1" } };
      },
      errorStatus: (code) => (code === "ANIMAL_TIRED" ? 422 : undefined),
    },
    {
      method: "DELETE",
      path: "/api/animals/:id",
      role: "admin",
      input: { params: Id },
      handle: async () => ({ status: 204 }),
    },
    {
      method: "GET",
      path: "/api/animals.csv",
      role: "viewer",
      input: {},
      handle: async () => ({ content: { type: "text/csv", data: "id,name\n1,Berta\n" } }),
    },
    {
      method: "POST",
      path: "/api/slow",
      role: "viewer",
      input: {},
      deadline: hours(1),
      handle: (_input, { signal }) => (slow.push(signal), new Promise(() => {})),
    },
    {
      method: "POST",
      path: "/api/lamp",
      role: "viewer",
      input: { body: z.object({ on: z.boolean() }) },
      urgent: ({ body }) => (body as { on: boolean }).on === false,
      handle: async ({ body }) => ({ body: body as { on: boolean } }),
    },
    { method: "POST", path: "/api/stop", role: "viewer", input: {}, urgent: true, handle: async () => ({ body: {} }) },
    {
      method: "POST",
      path: "/api/greet",
      role: "public",
      input: { body: z.object({ name: z.string() }) },
      handle: async ({ body }) => ({ body: body as { name: string } }),
    },
    {
      method: "POST",
      path: "/api/slow-greet",
      role: "public",
      input: {},
      deadline: hours(1),
      handle: (_input, { signal }) => (slow.push(signal), new Promise(() => {})),
    },
    {
      method: "GET",
      path: "/api/me",
      role: "viewer",
      input: {},
      handle: async (_input, { caller, token, remoteAddress, headers }) => ({
        body: {
          principal: caller.principal,
          role: caller.role,
          scope: JSON.stringify(caller.scope ?? null),
          credential: caller.credential !== undefined,
          transport: caller.transport,
          correlation: caller.correlation,
          traceparent: caller.traceparent ?? null,
          token: token === undefined ? null : token.length,
          remoteAddress,
          agent: headers["user-agent"] ?? null,
        },
      }),
    },
    {
      method: "GET",
      path: "/health",
      role: "public",
      set: "barn-door",
      input: {},
      handle: async () => ({ body: { status: "ok", barn: true } }),
    },
  ];

  const sockets: SocketRoute[] = [
    {
      path: "/ws",
      role: "viewer",
      protocols: ["barn.v1"],
      maxMessageBytes: 1_000,
      maxBufferedBytes: 100_000,
      open({ caller, url }, socket) {
        if (url.searchParams.has("no")) return undefined;
        feed.push(socket);
        socket.send(`hello ${caller?.principal ?? "stranger"}`);
        return {
          message(data) {
            if (data === "throw") throw new Error("barn on fire");
            heard.push(data);
          },
          closed: (code, reason) => void closed.push(`${code} ${reason}`.trim()),
        };
      },
    },
    {
      path: "/gadgets/:name",
      role: "own",
      protocols: ["bearer"],
      async open({ headers, url, protocols, caller, identify }, socket) {
        if (headers["x-gadget"] !== "secret") return undefined;
        socket.send(JSON.stringify({ path: url.pathname, protocols, caller: caller ?? null }));
        return {
          message: (data) =>
            void identify(String(data)).then((who) => socket.send(`you are ${who?.principal ?? "nobody"}`)),
          closed: (code) => void closed.push(`gadget ${code}`),
        };
      },
    },
  ];

  return {
    name: "barn",
    routes,
    sockets,
    http: {
      prefix: "/api",
      maxBodyBytes: 1_000,
      openapi: { path: "/openapi.json", title: "Barn", version: "1.0.0" },
      errorBody: ({ status, message, code }) => ({ error: REASON[status] ?? "Error", message, code }),
      errorSchema: z.object({ error: z.string(), message: z.string(), code: z.string() }),
      ...http,
    },
    slow,
    feed,
    heard,
    closed,
  };
}

const REASON: Readonly<Record<number, string>> = { 401: "Unauthorized", 403: "Forbidden", 404: "Not found" };
