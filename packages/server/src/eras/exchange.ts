import type { IncomingMessage, ServerResponse } from "node:http";
import type { Window } from "../http/route.ts";
import type { Identity } from "./identity.ts";

/** One HTTP request that has passed the guards. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly identity: Identity;
  /** Kept only to ask again whether it still holds; nothing behind the gate sees it. */
  readonly token: string | undefined;
  readonly window: Window;
}
