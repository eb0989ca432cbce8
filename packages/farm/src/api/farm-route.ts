import type { Duration, Json, JsonObject, Role, Route, RouteAnswer, RouteContext } from "@steading/kernel";
import * as z from "zod";
import { farmStatus } from "../farm-status.ts";
import { wireShape } from "../rows/wire-shape.ts";

interface Spec<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  readonly method: Route["method"];
  readonly path: string;
  readonly role: Role | "public";
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Default 30 s. */
  readonly deadline?: Duration;
  /** Does it make things safe? See the kernel's `Route.urgent`. */
  readonly urgent?: boolean | ((input: { readonly params: z.output<P>; readonly body: z.output<B> }) => boolean);
  handle(
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
    context: RouteContext,
  ): Promise<RouteAnswer> | RouteAnswer;
}

/** A route whose handler knows the types that its schemas check. */
export function farmRoute<
  P extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodUndefined,
>({ params, query, body, urgent, handle, ...rest }: Spec<P, Q, B>): Route {
  return {
    ...rest,
    input: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
    },
    errorStatus: farmStatus,
    // The server has checked each of them against the same schema, here and below.
    ...(urgent !== undefined && {
      urgent: typeof urgent === "boolean" ? urgent : (input) => urgent(input as Parameters<typeof urgent>[0]),
    }),
    handle: async (input, context) => handle(input as Parameters<typeof handle>[0], context),
  };
}

/** A whole number in a path or a query, where everything is text. */
export const NumberText = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/** Yes or no in a query. */
export const FlagText = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1");

export const IdParams = z.object({ id: NumberText });

/** `?shape=parsed`: real booleans and objects instead of the reference's 0, 1 and JSON text. */
export const ShapeQuery = z.object({ shape: z.enum(["wire", "parsed"]).optional() });
export type Shape = z.output<typeof ShapeQuery>["shape"];

export function shaped(row: JsonObject, shape: Shape): JsonObject {
  return shape === "parsed" ? row : wireShape(row);
}

export function ok(body: Json): RouteAnswer {
  return { body };
}
export function created(body: Json): RouteAnswer {
  return { status: 201, body };
}
