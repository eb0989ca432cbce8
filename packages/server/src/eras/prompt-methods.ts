import type { Server } from "@modelcontextprotocol/server";
import type { Complete } from "../prompts/completions.ts";
import type { PromptShelf } from "../prompts/prompt-shelf.ts";
import { invalidParams, type Guarded } from "./guarded.ts";
import { callerOf, type Identity } from "./identity.ts";

export interface PromptMethodsDeps {
  readonly prompts: PromptShelf;
  readonly complete: Complete;
  readonly guarded: Guarded;
}

export function addPromptMethods(
  server: Server,
  identity: Identity,
  { prompts, complete, guarded }: PromptMethodsDeps,
): void {
  server.setRequestHandler("prompts/list", (request, context) =>
    guarded(() => {
      const page = prompts.page(callerOf(context, identity), request.params?.cursor);
      if (page === undefined) throw invalidParams("Invalid cursor");
      const shown = page.prompts.map(({ arguments: given, ...prompt }) => ({
        ...prompt,
        ...(given === undefined ? {} : { arguments: given.map((each) => ({ ...each })) }),
      }));
      return {
        prompts: shown,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
        ...(prompts.filtered ? { ttlMs: 60_000, cacheScope: "private" } : {}),
      };
    }),
  );
  server.setRequestHandler("prompts/get", (request, context) =>
    guarded(() =>
      prompts.get(request.params.name, request.params.arguments, { caller: callerOf(context, identity), mcp: context }),
    ),
  );
  server.setRequestHandler("completion/complete", (request, context) =>
    guarded(async () => {
      const { ref, argument, context: chosen } = request.params;
      const caller = callerOf(context, identity);
      return {
        completion: {
          ...(await complete({
            ref,
            argument,
            chosen: chosen?.arguments ?? {},
            caller,
            signal: context.mcpReq.signal,
          })),
        },
      };
    }),
  );
}
