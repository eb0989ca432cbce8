import type { Caller, Role } from "@steading/kernel";

/** What may be told of a request. Names are ours: a tool that nobody has is not among them. */
export interface WatchedRequest {
  readonly method: string;
  readonly tool?: string | undefined;
  readonly era: "modern" | "legacy";
  readonly transport: Caller["transport"];
  readonly role: Role;
  readonly hot: boolean;
}
