import type { PartHttp } from "@steading/kernel";
import * as z from "zod";
import { reasonFor } from "../farm-status.ts";

/** What JSON bodies may weigh. */
const MOST_BODY = 100 * 1024;

/** Everything below `/api` is the farm's, and every refusal has a reason and a sentence. */
export function farmHttp(version: string): PartHttp {
  return {
    prefix: "/api",
    maxBodyBytes: MOST_BODY,
    openapi: { path: "/openapi.json", title: "Steading farm", version },
    errorBody: ({ status, code, message, retryable, details }) => ({
      error: reasonFor(status),
      message,
      code,
      ...(retryable ? { retryable } : {}),
      ...(details === undefined ? {} : { details }),
    }),
    errorSchema: z.looseObject({ error: z.string(), message: z.string() }),
  };
}
