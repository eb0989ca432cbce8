import type * as z from "zod";
import type { Caller, Role } from "./caller.ts";
import type { Duration } from "./duration.ts";
import type { Json, JsonObject } from "./json.ts";

export interface RouteContext {
  /** Who asks. On a `public` route without a credential: somebody who may do nothing at all. */
  readonly caller: Caller;
  /** Did a credential come along that stands? Always, unless the route is `public`. */
  readonly isKnown: boolean;
  /** The bearer token as it was sent, for routes that end or renew it. */
  readonly token?: string;
  /** Epoch milliseconds at which the credential ends, where it does. */
  readonly expiresAt?: number;
  /** Where the request came from, behind a trusted proxy what that says. */
  readonly remoteAddress: string;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface RouteAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: no body, unless there is `content`. */
  readonly body?: Json;
  /** What is not JSON: a table as CSV, a picture. */
  readonly content?: { readonly type: string; readonly data: string | Uint8Array };
}

/** What a route takes, each part checked by the server before `handle` runs. A query's values are texts, or lists of them. */
export interface RouteInput {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
}

/** The same after the check. What has no schema is undefined. */
export interface RouteArguments {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** One HTTP route, as data. The server owns the port, the checks and the description; the part owns the meaning. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for parameters: `/api/equipment/:id`. */
  readonly path: string;
  /** The least role, or `public` for what needs no credential at all. */
  readonly role: Role | "public";
  readonly summary?: string;
  readonly input: RouteInput;
  readonly output?: z.ZodType;
  /** What a listener's `serve` calls it. Default `<part>-api`; another one is served only where it is named. */
  readonly set?: string;
  /** Default: as the part says. */
  readonly maxBodyBytes?: number;
  /**
   * Does it make things safe: an OFF, a stop? Such a call has seats kept for it and no rate; see the server. A function is
   * asked with what was checked.
   */
  readonly urgent?: boolean | ((input: RouteArguments) => boolean);
  /** Default 30 s. After it the signal aborts and the answer is TIMEOUT. */
  readonly deadline?: Duration;
  /** Throws SteadingError; `errorStatus` says which status that becomes. */
  handle(input: RouteArguments, context: RouteContext): Promise<RouteAnswer>;
  /** The HTTP status of a code of this part. Default: by the kind of code, 500 for what nobody knows. */
  errorStatus?(code: string): number | undefined;
}

/** Why a request was not answered as it wished, for a part that has its own form of saying so. */
export interface RouteFailure {
  readonly status: number;
  /** Of a SteadingError, or UNAUTHENTICATED, ROUTE_UNKNOWN, METHOD_NOT_ALLOWED, BODY_TOO_LARGE, BODY_TOO_SLOW, BODY_INVALID, TOO_MANY_CALLS. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly details?: JsonObject;
}

/** What all routes of a part have in common. */
export interface PartHttp {
  /** Addresses below it are the part's, also those that no route has: `/api`. */
  readonly prefix?: string;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Where the routes are described, in OpenAPI 3.1, for everybody. */
  readonly openapi?: {
    readonly path: string;
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  /** Default: what `SteadingError.toJson` says. */
  errorBody?(failure: RouteFailure): Json;
  /** The form of that, for the description. */
  readonly errorSchema?: z.ZodType;
}
