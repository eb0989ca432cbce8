import type * as z from "zod";
import type { Caller, Role } from "./caller.ts";
import type { Json } from "./json.ts";

export interface RouteContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface RouteAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: no body. */
  readonly body?: Json;
}

/** What a route takes, each part checked by the server before `handle` runs. */
export interface RouteInput {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
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
  /** Throws SteadingError; `errorStatus` says which status that becomes. */
  handle(
    input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
    context: RouteContext,
  ): Promise<RouteAnswer>;
  /** The HTTP status of a code of this part. Default: by the kind of code, 500 for what nobody knows. */
  errorStatus?(code: string): number | undefined;
}
