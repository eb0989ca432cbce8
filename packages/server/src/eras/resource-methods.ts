import { isInputRequiredResult, ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { cacheHintOf, type CacheHint } from "../lists/resource-source.ts";
import type { ResourceShelf } from "../lists/resource-shelf.ts";
import { invalidParams, type Guarded } from "./guarded.ts";
import { callerOf, type Identity } from "./identity.ts";

export interface ResourceMethodsDeps {
  readonly shelf: ResourceShelf;
  readonly guarded: Guarded;
  readonly subscriptionsPerClient: number;
}

const NOT_TO_KEEP: CacheHint = { ttlMs: 0, cacheScope: "private" };

export function addResourceMethods(server: Server, identity: Identity, { shelf, guarded }: ResourceMethodsDeps): void {
  server.setRequestHandler("resources/list", (request, context) =>
    guarded(() => {
      const page = shelf.list(callerOf(context, identity), request.params?.cursor);
      if (page === undefined) throw invalidParams("Invalid cursor");
      const resources = page.resources.map(({ minimumRole: _, ...shown }) => shown);
      return { resources, ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }) };
    }),
  );
  server.setRequestHandler("resources/templates/list", (request) =>
    guarded(() => {
      const page = shelf.templates(request.params?.cursor);
      if (page === undefined) throw invalidParams("Invalid cursor");
      const resourceTemplates = page.templates.map((template) => ({ ...template }));
      return { resourceTemplates, ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }) };
    }),
  );
  server.setRequestHandler("resources/read", (request, context) =>
    guarded(async () => {
      const { uri } = request.params;
      const content = await shelf.read(uri, callerOf(context, identity), context);
      if (content === undefined) throw new ResourceNotFoundError(uri);
      if (isInputRequiredResult(content)) return content;
      const { meta, cache: _, ...shown } = content;
      // What was answered in a round with the client holds for that round alone.
      const hint = context.mcpReq.inputResponses === undefined ? cacheHintOf(content) : NOT_TO_KEEP;
      return { contents: [{ ...shown, ...(meta === undefined ? {} : { _meta: { ...meta } }) }], ...hint };
    }),
  );
}

/** The 2025 era's way to follow a resource: a set of URIs per connection. */
export function addSubscriptionMethods(
  server: Server,
  identity: Identity,
  uris: Set<string>,
  deps: ResourceMethodsDeps,
): void {
  const { shelf, guarded, subscriptionsPerClient } = deps;
  server.setRequestHandler("resources/subscribe", (request, context) =>
    guarded(async () => {
      const { uri } = request.params;
      if (uris.size >= subscriptionsPerClient && !uris.has(uri))
        throw invalidParams(`At most ${subscriptionsPerClient} subscriptions`);
      if (!(await shelf.mayRead(uri, callerOf(context, identity)))) throw new ResourceNotFoundError(uri);
      uris.add(uri);
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", (request) => {
    uris.delete(request.params.uri);
    return {};
  });
}
