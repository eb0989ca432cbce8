import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cancel } from "@steading/kernel";
import { createAppPages } from "./apps/app-page.ts";
import { createBearerGate } from "./auth/bearer-gate.ts";
import { createStreamGuard } from "./auth/stream-guard.ts";
import { createVerifiedTokens } from "./auth/verified-tokens.ts";
import { createConfirmedCalls } from "./calls/confirmed-calls.ts";
import { createFitResult } from "./calls/fit-result.ts";
import { createKeptResults } from "./calls/kept-results.ts";
import { createLongCalls } from "./calls/long-calls.ts";
import { createRequestState } from "./calls/request-state.ts";
import { createToolCalls } from "./calls/tool-calls.ts";
import { createUrgentCalls } from "./calls/urgent-calls.ts";
import { createFanOut } from "./changes/fan-out.ts";
import { createPace } from "./changes/paced.ts";
import { createInstanceBuilder } from "./eras/build-instance.ts";
import { createModernLeg } from "./eras/modern.ts";
import { createSessions } from "./eras/sessions.ts";
import { createSseSessions } from "./eras/sse.ts";
import { createSseLegs } from "./eras/sse-legs.ts";
import { createHotLines } from "./hot/hot-lines.ts";
import { createHotSessions } from "./hot/hot-sessions.ts";
import { createHotPath } from "./hot/hot-path.ts";
import { createPlainTools } from "./hot/plain-tools.ts";
import { createCors } from "./http/cors.ts";
import type { EdgeCounters } from "./http/edge-counters.ts";
import { createHostAndOriginCheck } from "./http/host-and-origin.ts";
import { isLoopback } from "./http/loopback.ts";
import { createOrderOfWork } from "./http/order-of-work.ts";
import { ownAddresses } from "./http/own-addresses.ts";
import { createPlainAnswers } from "./http/plain-answers.ts";
import { createReadBody } from "./http/read-body.ts";
import { createUnfinishedBodies } from "./http/unfinished-bodies.ts";
import type { ListenAt, OnUpgrade } from "./http/http-listener.ts";
import { createCallRate } from "./limits/call-rate.ts";
import { createCallSeats } from "./limits/call-seats.ts";
import type { Limits } from "./limits/limits.ts";
import { createPlaces } from "./limits/places.ts";
import { createListenRouter } from "./listen/listen-router.ts";
import { createResourceShelf } from "./lists/resource-shelf.ts";
import { createToolPages } from "./lists/tool-pages.ts";
import { createShellMetrics } from "./metrics/shell-metrics.ts";
import { createNativeTools } from "./native/native-tools.ts";
import { createCompletions } from "./prompts/completions.ts";
import { createPromptShelf } from "./prompts/prompt-shelf.ts";
import { createProcessMetrics } from "./metrics/process-metrics.ts";
import { createRequestCounter } from "./metrics/request-counter.ts";
import { createListenerWork } from "./routes/listener-work.ts";
import { createPartRoutes } from "./routes/part-routes.ts";
import { createRouteGate } from "./routes/route-caller.ts";
import { createSharedValidators } from "./schemas/shared-validators.ts";
import type { ServerDeps } from "./server-deps.ts";
import { createStreamServer, type ServedStream, type ServeStream } from "./stdio/serve-streams.ts";
import { createRequestWatch } from "./traces/request-watch.ts";
import { watchHotCalls, watchHotLists } from "./traces/watch-hot-path.ts";
import { watchListen } from "./traces/watch-listen.ts";
import { createKeptTasks } from "./tasks/kept-tasks.ts";
import { createTaskStore } from "./tasks/task-store.ts";

/** Everything between a request and the dispatcher, put together once and shared by every listener and line. */
export interface Shell {
  /** How one listener answers, by what it is to serve. Throws LISTEN_REFUSED when that is not there. */
  listenerFor(at: Pick<ListenAt, "host" | "serve" | "setting">): Promise<{
    onRequest(req: IncomingMessage, res: ServerResponse): void;
    readonly onUpgrade: OnUpgrade | undefined;
  }>;
  serveStream(stream: ServeStream): ServedStream;
  metrics(): string;
  close(): Promise<void>;
}

export function createShell(deps: ServerDeps, limits: Limits, edge: EdgeCounters): Shell {
  const { dispatcher, authenticator, clock, log, info } = deps;
  const requests = createRequestCounter();
  const watch = createRequestWatch({ requests, tracer: deps.tracer });
  const allowedHosts = deps.allowedHosts ?? [];
  const allowedOrigins = deps.allowedOrigins ?? [];

  // What there is to see.
  const validators = createSharedValidators();
  const natives = createNativeTools({ tools: deps.natives ?? [], validators, log });
  const apps = createAppPages(deps.apps ?? []);
  const pages = createToolPages({ dispatcher, natives, apps, ...limits });
  const kept = createKeptResults({ clock, maxBytes: limits.keptResultBytes, age: limits.keptResultAge });
  const shelf = createResourceShelf({
    providers: [...deps.resources, apps.source, kept],
    perPage: limits.resourcesPerPage,
  });
  const prompts = createPromptShelf({ sources: deps.prompts ?? [], perPage: limits.resourcesPerPage });
  const complete = createCompletions({
    completers: deps.completers ?? [],
    clock,
    log,
    within: limits.completionTime,
    most: limits.completionValues,
  });

  // What happens and who hears of it.
  const every = (uri: string) => deps.resourceUpdatedEvery?.(uri) ?? limits.resourceUpdatedEvery;
  const bus = deps.changeBus === undefined ? {} : { bus: deps.changeBus };
  const fanOut = createFanOut({
    clock,
    listChangedEvery: limits.listChangedEvery,
    resourceUpdatedEvery: every,
    ...bus,
  });
  const paced = createPace({
    clock,
    perSecond: deps.noticesPerSecond,
    // Resources, tasks and the three lists.
    mostHeld: 2 * limits.subscriptionsPerClient + 3,
  });
  const taskPlaces = createPlaces({ total: limits.tasks, perPrincipal: limits.tasksPerPrincipal });
  const written =
    deps.ledger === undefined
      ? {}
      : { kept: createKeptTasks({ ledger: deps.ledger, clock, age: limits.taskAge, log }) };
  const tasks = createTaskStore({
    places: taskPlaces,
    age: limits.taskAge,
    poll: limits.taskPoll,
    ...written,
    clock,
    log,
  });

  // Calls.
  const callPlaces = createPlaces({ total: limits.calls, perPrincipal: limits.callsPerPrincipal });
  const rate = createCallRate({ clock, perSecond: limits.callsPerSecond, burst: limits.callBurst });
  const urgentPlaces = createPlaces({ total: limits.urgentCalls, perPrincipal: limits.urgentCallsPerPrincipal });
  const strangers = createPlaces({ total: limits.strangerCalls, perPrincipal: limits.strangerCallsPerAddress });
  const seats = createCallSeats({ places: callPlaces, urgent: urgentPlaces, strangers, rate });
  const urgentCalls = createUrgentCalls({ pages });
  const fit = createFitResult({ kept, textBytes: limits.resultTextBytes, binaryBytes: limits.resultBinaryBytes });
  const state = createRequestState(deps.stateKey === undefined ? {} : { key: deps.stateKey });
  const calls = createToolCalls({
    dispatcher,
    pages,
    natives,
    nativeExtras: (call) => ({
      tasks,
      changes: fanOut,
      definitionsChanged() {
        natives.touch();
        fanOut.tools();
      },
      mint: (value) => state.mint(value, call.native().mcp),
    }),
    confirmed: createConfirmedCalls({ approvals: deps.approvals, log }),
    longCalls: createLongCalls({ tasks, clock, longest: limits.longestCall }),
    seats,
    urgentCalls,
    fit,
    limits,
  });

  // Eras and transports.
  const registries = {
    clock,
    state,
    pages,
    calls,
    shelf,
    prompts,
    complete,
    subscriptionsPerClient: limits.subscriptionsPerClient,
  };
  const build = createInstanceBuilder({
    info,
    instructions: deps.instructions,
    logging: deps.logging ?? false,
    tasks,
    watch,
    log,
    ...registries,
  });
  const guard = createStreamGuard({ authenticator, clock });
  const streamPlaces = createPlaces({ total: limits.streams, perPrincipal: limits.streamsPerPrincipal });
  const giveWay = deps.sessionsGiveWay ?? false;
  const long = { build, pages, fanOut, paced, guard, streamPlaces, clock, log, limits, giveWay };
  const sseSessions = createSseSessions({ ...long, path: deps.ssePath ?? "/mcp/messages" });
  const headerTools = new Map(
    (deps.natives ?? []).filter(usesHeaders).map(({ definition }) => [definition.name, definition]),
  );
  const modern = createModernLeg({
    build,
    info,
    headerTools,
    log,
    keepAliveMs: limits.streamKeepAlive,
    unreadBytes: limits.unreadBytes,
  });
  const ownsTask = (principal: string, id: string) => tasks.get(id, principal) !== undefined;
  const listen = createListenRouter({ info, pages, shelf, ownsTask, guard, streamPlaces, paced, clock, limits });
  const hotCalls = watchHotCalls({ calls, pages, watch });
  const plain = createPlainTools({ pages, natives, clock });
  const hotParts = { info, pages, plain, calls: hotCalls, log };
  const plainAnswers = deps.sessionAnswers === "json";
  const sessions = createSessions({
    ...long,
    plainAnswers,
    hot: plainAnswers && deps.hotPath !== false ? createHotSessions(hotParts) : undefined,
  });
  const hot = deps.hotPath === false ? undefined : watchHotLists(createHotPath(hotParts), watch);
  const hotLines = deps.hotPath === false ? undefined : createHotLines(hotParts);
  const serveStream = createStreamServer({ build, pages, fanOut, paced, shelf, hotLines, log, limits });

  // The door.
  const verified = createVerifiedTokens({
    authenticator,
    clock,
    capacity: limits.verifiedTokens,
    age: limits.verifiedTokenAge,
  });
  const gate = createBearerGate({
    authenticator,
    verified,
    edge,
    publicUrl: deps.authorization?.publicUrl,
    ...(deps.refusalBody === undefined ? {} : { refusalBody: deps.refusalBody }),
  });
  const bodies = createUnfinishedBodies({ clock, limits });
  const parts = createPartRoutes({
    parts: deps.parts ?? [],
    gate: createRouteGate({ verified, anonymous: authenticator.anonymous }),
    guard,
    seats,
    bodies,
    edge,
    clock,
    log,
  });
  const processMetrics = createProcessMetrics({ clock });
  const metrics = createShellMetrics({
    sessions,
    sseSessions,
    listen,
    hot,
    tasks,
    streamPlaces,
    callPlaces,
    urgentPlaces,
    strangers,
    bodies,
    verified,
    kept,
    rate,
    log,
    more: () => [
      ...processMetrics,
      ...edge.metrics(),
      ...parts.metrics(),
      ...requests.metrics(),
      ...(deps.metrics?.() ?? []),
    ],
  });
  const readBody = createReadBody({ ...limits, bodies });
  let offLoopback = false;
  const check = createHostAndOriginCheck({
    hosts: allowedHosts,
    origins: allowedOrigins,
    addresses: () => (offLoopback && deps.ownAddressesAllowed === true ? ownAddresses() : []),
  });
  const onRequest = createOrderOfWork({
    check,
    cors: createCors({ pages: allowedOrigins }),
    gate,
    answerPlain: createPlainAnswers({
      health: () => deps.health(),
      healthBody: deps.healthBody,
      identify: gate.identify,
      name: info.title ?? info.name,
      authorization: deps.authorization,
    }),
    metrics: () => metrics.render(),
    hot,
    listen: watchListen(listen, watch),
    modern,
    sessions,
    sse: createSseLegs({
      sessions: sseSessions,
      gate,
      postAuth: deps.ssePostAuth ?? "required",
      seats,
      urgentCalls,
      readBody,
      edge,
    }),
    seats,
    urgentCalls,
    log,
    readBody,
    edge,
  });

  const watching: Cancel[] = [
    dispatcher.onChange(() => fanOut.tools()),
    shelf.onListChanged(() => fanOut.resources()),
    shelf.onUpdated((uri, meta) => fanOut.resource(uri, meta)),
    prompts.onListChanged(() => fanOut.prompts()),
    tasks.onChange((task) => fanOut.task(task)),
    fanOut.join(listen),
  ];

  return {
    async listenerFor(at) {
      offLoopback ||= !isLoopback(at.host);
      await parts.ready();
      return createListenerWork({
        at,
        parts,
        check,
        edge,
        hasToolset: (name) => dispatcher.hasToolset(name),
        onRequest,
      });
    },
    serveStream,
    metrics: () => metrics.render(),
    async close() {
      for (const cancel of watching.splice(0)) cancel();
      listen.close();
      fanOut.close();
      await parts.close();
      await Promise.all([sessions.close(), sseSessions.close(), modern.close()]);
      tasks.close();
      kept.clear();
      bodies.close();
      guard.close();
      verified.close();
    },
  };
}

/** Does an argument of this tool travel in a header as well? */
function usesHeaders({ definition }: { readonly definition: { readonly inputSchema: object } }): boolean {
  return JSON.stringify(definition.inputSchema).includes('"x-mcp-header"');
}
