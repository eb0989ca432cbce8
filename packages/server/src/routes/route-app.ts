import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from "fastify";
import {
  SteadingError,
  type Cancel,
  type Clock,
  type Log,
  type Route,
  type RouteAnswer,
  type RouteArguments,
  type RouteFailure,
} from "@steading/kernel";
import type { EdgeCounters } from "../http/edge-counters.ts";
import { addressOf } from "../http/peer.ts";
import type { UnfinishedBodies } from "../http/unfinished-bodies.ts";
import type { CallSeats } from "../limits/call-seats.ts";
import { plainHeaders } from "./plain-headers.ts";
import { createReadRouteBody } from "./route-body.ts";
import type { RouteCaller, RouteGate } from "./route-caller.ts";
import { failureBody, failureOf } from "./route-failure.ts";
import { checkInput, isUrgent } from "./route-input.ts";
import type { RouteLimits } from "./route-limits.ts";
import type { RouteSet } from "./route-sets.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface RouteAppDeps {
  readonly set: RouteSet;
  readonly gate: RouteGate;
  readonly seats: CallSeats;
  readonly bodies: UnfinishedBodies;
  readonly edge: EdgeCounters;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RouteLimits;
  /** Called once for every answer. */
  onAnswer(status: number): void;
}

/** The routes of one set, served by fastify behind a listener that is not its own. */
export interface RouteApp {
  ready(): Promise<void>;
  /** For a path and a method that the set has. */
  serve(req: IncomingMessage, res: ServerResponse): void;
  close(): Promise<void>;
}

interface Admitted {
  readonly who: RouteCaller;
  /** Who is counted for it. */
  readonly sender: string;
}

export function createRouteApp({ set, gate, seats, bodies, ...deps }: RouteAppDeps): RouteApp {
  const { edge, clock, log, limits, onAnswer } = deps;
  const { http } = set;
  const readBody = createReadRouteBody({ bodies, edge, bodyDepth: limits.bodyDepth });
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  const app = fastify({
    // It never listens: requests come from the hub's own listeners.
    serverFactory: (handler) => createServer(handler),
    bodyLimit: http.maxBodyBytes ?? limits.bodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.parameterLength },
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => void fail(reply, badRequest(error), request.raw),
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request: FastifyRequest) => {
    const { who, sender } = admittedAs(request);
    return readBody(request.raw, { name: sender, isKnown: who.known !== undefined }, request.routeOptions.bodyLimit);
  });

  function admittedAs(request: FastifyRequest): Admitted {
    const found = admitted.get(request);
    if (found === undefined) throw new Error("A request came past its gate.");
    return found;
  }

  function fail(reply: FastifyReply, failure: RouteFailure, req: IncomingMessage): FastifyReply {
    if (failure.status === 401) edge.count("unauthorized");
    if (failure.status === 403) edge.count("forbidden");
    if (failure.status === 413) edge.count("too_large");
    const challenge = req.headers.authorization === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    const headers: Record<string, string> = {
      ...(failure.status === 401 ? { "www-authenticate": challenge } : {}),
      ...retryAfter(failure),
    };
    return send(reply, failure.status, headers, { type: "application/json", data: failureBody(failure, http, log) });
  }

  function send(
    reply: FastifyReply,
    status: number,
    headers: Readonly<Record<string, string>>,
    content: RouteAnswer["content"],
  ): FastifyReply {
    onAnswer(status);
    reply.status(status).headers({ "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers });
    if (content === undefined) return reply.send();
    const { type, data } = content;
    return reply.type(type).send(typeof data === "string" ? data : Buffer.from(data));
  }

  function admit(route: Route) {
    return async (request: FastifyRequest): Promise<void> => {
      const who = await gate.admit(request.raw, { role: route.role, part: set.part });
      admitted.set(request, { who, sender: who.known?.principal ?? `address:${addressOf(request.raw)}` });
    };
  }

  /** Only once the whole request is here: a client that is slow to send it keeps nobody else out. */
  function takeSeat(route: Route, request: FastifyRequest): Cancel {
    // Like the hub's own `/health`: what everybody may read must be there when nothing else is.
    if (route.role === "public" && route.method === "GET") return () => {};
    const { who, sender: principal } = admittedAs(request);
    const isStranger = who.known === undefined;
    const reserved = seats.reserve({
      principal,
      isStranger,
      calls: 1,
      urgent: () => (!isStranger && isUrgent(route, givenIn(request)) ? 1 : 0),
      req: request.raw,
    });
    if ("retryAfter" in reserved) {
      edge.count("too_many_calls");
      throw new SteadingError("TOO_MANY_CALLS", "Too many calls; try again later.", {
        retryable: true,
        details: { retry_after_seconds: reserved.retryAfter },
      });
    }
    return reserved.claim() ?? (() => {});
  }

  function handle(route: Route) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const release = takeSeat(route, request);
      try {
        const answer = await run(route, request, reply, admittedAs(request).who);
        const { status = 200, headers = {}, body, content } = answer;
        const json = body === undefined ? undefined : { type: "application/json", data: JSON.stringify(body) };
        await send(reply, status, headers, content ?? json);
      } finally {
        release();
      }
    };
  }

  function run(route: Route, request: FastifyRequest, reply: FastifyReply, who: RouteCaller): Promise<RouteAnswer> {
    const { raw } = request;
    const input = checkInput(route, givenIn(request));
    return withinDeadline({
      work: (signal) =>
        route.handle(input, {
          caller: who.caller,
          isKnown: who.known !== undefined,
          ...(who.token === undefined ? {} : { token: who.token }),
          ...(who.known?.expiresAt === undefined ? {} : { expiresAt: who.known.expiresAt }),
          remoteAddress: addressOf(raw),
          signal,
          headers: plainHeaders(raw),
        }),
      deadline: route.deadline ?? limits.deadline,
      clock,
      left: leaves(reply.raw),
      reads: route.method === "GET",
    });
  }

  for (const route of set.routes) {
    const { method, path, maxBodyBytes } = route;
    app.route({
      method,
      url: path,
      ...(maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes }),
      onRequest: admit(route),
      handler: handle(route),
      errorHandler: (error, request, reply) =>
        void fail(reply, isFrameworks(error) ? badRequest(error) : failureOf(error, route, log), request.raw),
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const message = "There is nothing at this address.";
    return fail(reply, { status: 404, code: "ROUTE_UNKNOWN", message, retryable: false }, request.raw);
  });

  return {
    ready: async () => {
      await app.ready();
    },
    serve: (req, res) => app.routing(req, res),
    close: () => app.close(),
  };
}

function givenIn({ params, query, body }: FastifyRequest): RouteArguments {
  return { params, query: { ...(query as object) }, body }; // fastify's has no prototype
}

/** Aborts when the client leaves before it has its answer. */
function leaves(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort(new SteadingError("CANCELLED", "The client closed the connection."));
  });
  return gone.signal;
}

function isFrameworks(error: unknown): error is FastifyError {
  return error instanceof Error && "code" in error && String(error.code).startsWith("FST_");
}

/** What fastify itself objects to is about the request's form, in our own words. */
function badRequest(error: FastifyError): RouteFailure {
  const { statusCode: status = 400 } = error;
  const retryable = false;
  switch (status) {
    case 413:
      return { status, code: "BODY_TOO_LARGE", message: "The body is larger than this address takes.", retryable };
    case 415:
      return { status, code: "BODY_INVALID", message: "Content-Type must be application/json.", retryable };
    default:
      return { status: 400, code: "BODY_INVALID", message: "The request cannot be read.", retryable };
  }
}

function retryAfter({ status, details }: RouteFailure): Record<string, string> {
  const seconds = details?.["retry_after_seconds"];
  if (typeof seconds === "number") return { "retry-after": String(Math.ceil(seconds)) };
  return status === 503 ? { "retry-after": "5" } : {};
}
