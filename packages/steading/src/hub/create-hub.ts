import type { Readable, Writable } from "node:stream";
import {
  createActionResources,
  createActionTools,
  createDispatcher,
  createSnapshots,
  SteadingError,
  type Cancel,
  type Clock,
  type Door,
  type Health,
  type Journal,
  type Log,
  type Part,
  type Reception,
  type Role,
  type WorkingDispatcher,
} from "@steading/kernel";
import { createEbus } from "@steading/ebus";
import { createLampPart } from "@steading/lamp";
import type { FarmPart } from "@steading/farm";
import { createFindToolset, createServer, limitsFrom, readView, type ConformanceFixtures } from "@steading/server";
import type { Store } from "@steading/store";
import { createGraph, state, type Graph } from "@steading/subjects";
import { checkSocketPath } from "../local/hub-socket.ts";
import type { FarmCredentials } from "../settings/farm-environment.ts";
import { controlPath, socketPath } from "../settings/data-directory.ts";
import type { Settings } from "../settings/settings-schema.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { traceDispatcher } from "../telemetry/traced-dispatcher.ts";
import { createApprovalTools } from "../tools/approval-tools.ts";
import { createSnapshotTools } from "../tools/snapshot-tools.ts";
import { createStopTools } from "../tools/stop-tools.ts";
import { tellingArming } from "./arming.ts";
import { createControlDispatcher } from "./control-dispatcher.ts";
import { createHubFarm, keepsItsOwnPast } from "./farm-part.ts";
import { createFarmPort, farmUpdatedEvery } from "./farm-port.ts";
import { createHistoryPort } from "./history-port.ts";
import { createHubMetrics } from "./hub-metrics.ts";
import { hourly } from "./hourly.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { openCore, type Core } from "./open-core.ts";
import { packageVersion } from "./package-version.ts";
import { recordHistory } from "./record-history.ts";
import { readTls } from "./read-tls.ts";
import { recoverActions } from "./recover-actions.ts";
import { refuseUnserved } from "./refuse-unserved.ts";
import { secretFile } from "./secret-file.ts";
import { captureSources, graphSnapshots } from "./snapshot-sources.ts";
import { settle } from "./settle.ts";
import { stopInOrder } from "./stop-in-order.ts";
import { journalSubjects } from "./subject-journal.ts";
import { createSteadingSubjectTools } from "./subject-tools.ts";
import { mountSystem } from "./system-subject.ts";
import { worstHealth } from "./worst-health.ts";

export interface HubDeps {
  readonly settings: Settings;
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  /** JWT_SECRET; made and kept in the data directory when it is not given. */
  readonly jwtSecret?: string;
  /** Keys and logins of the farm's port. */
  readonly farmCredentials?: FarmCredentials;
  /** Where spans go. A hub without it traces nothing. */
  readonly telemetry?: Telemetry;
  /** Parts beside those of the settings: the demo's virtual place. */
  more?(deps: {
    readonly graph: Graph;
    readonly door: Door;
    readonly reception: Reception;
    readonly clock: Clock;
    readonly log: Log;
  }): readonly Part[];
  /** Puts equipment into the farm before it starts: the demo's. */
  furnishFarm?(deps: {
    readonly core: FarmPart["core"];
    readonly store: Store;
    readonly journal: Journal;
  }): Promise<void>;
  /** What the conformance referee needs besides, instead of credentials. A real hub has none. */
  readonly fixtures?: ConformanceFixtures;
}

/** One hub, put together and ready to be started. Nothing listens until it is asked to. */
export interface Hub {
  /** Starts every part, then looks at the actions that a crash left open. */
  start(signal: AbortSignal): Promise<void>;
  /** Opens every listener of the settings and the local socket. Answers their addresses, the main one's first. */
  listen(): Promise<{ readonly url: string; readonly urls: readonly string[]; readonly farm: string | undefined }>;
  serveLocally(): Promise<void>;
  /** Speaks MCP on these streams until the client leaves or the signal aborts. */
  serveStdio(
    streams: { input: Readable; output: Writable; role: Role; view: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Makes the first admin and a token for it, when there is no account at all. */
  firstToken(given?: string): Promise<string | undefined>;
  accepts(token: string): Promise<boolean>;
  health(): Health;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** The composition root: what a hub is made of, and in which order. */
export async function createHub(deps: HubDeps): Promise<Hub> {
  const { settings, data, clock, log, jwtSecret } = deps;
  checkSocketPath(socketPath(data));
  const stateKey = secretFile(data, "state.key");
  const core = await openCore({ settings, data, clock, log, ...(jwtSecret !== undefined && { jwtSecret }) });
  try {
    return composeHub(core, stateKey, deps);
  } catch (error) {
    await core.store.close(); // a hub that cannot be put together must not keep the directory
    throw error;
  }
}

function composeHub(core: Core, stateKey: Uint8Array, deps: HubDeps): Hub {
  const { settings, data, clock, log, telemetry, more, fixtures } = deps;
  const { access } = settings;
  const { store, journal, approvals, reception, accounts, door } = core;
  const { ledger, history } = store;

  const graph = createGraph({ clock, log });
  const version = packageVersion();
  const system = mountSystem({ graph, version, access, armed: core.arming.held() === undefined });
  const arming = tellingArming(core.arming, (armed) => system.tellArmed(armed));

  const recorder = recordHistory({ graph, history, provider: state(), clock, log, isKept: keepsItsOwnPast });

  const credentials = deps.farmCredentials;
  const farm =
    settings.farm &&
    createHubFarm({ core, data, arming, settings: settings.farm, credentials, graph, clock, log, version });
  const parts: readonly Part[] = [
    createLampPart({ graph, door, reception, clock, log, lamps: settings.lamps }),
    ...(settings.ebus ? [createEbus({ ...settings.ebus, clock, log, reception, graph })] : []),
    ...(farm ? [farm.part] : []),
    ...(more?.({ graph, door, reception, clock, log }) ?? []),
  ];
  refuseUnserved(parts);
  const snapshots = createSnapshots({ sources: captureSources(graph, parts), clock, log });

  const subjects = createSteadingSubjectTools(
    () => graph.root,
    (config) => {
      config.access = access;
      config.journal = journalSubjects({ journal });
      config.history = createHistoryPort(history);
      config.snapshots = graphSnapshots(snapshots);
    },
  );
  const toolsets = [
    subjects,
    subjects.extras,
    createActionTools({ door }),
    createApprovalTools({ approvals }),
    createSnapshotTools({ snapshots }),
    createStopTools({ graph, arming }),
    createFindToolset({ dispatcher: () => dispatcher }),
    ...parts.flatMap((part) => part.toolsets),
  ];
  const { argumentElements, ...shellLimits } = settings.limits;
  const plain = createDispatcher({
    toolsets,
    door,
    clock,
    log,
    ...(argumentElements === undefined ? {} : { limits: { argumentElements } }),
  });
  const dispatcher: WorkingDispatcher = telemetry ? traceDispatcher(plain, telemetry.tracer) : plain;
  const health = (): Health =>
    worstHealth([
      ...parts,
      { name: "store", health: () => store.health() },
      { name: "hub", health: () => arming.health() },
    ]);
  const shared = {
    info: { name: "steading", title: "Steading", version },
    instructions: INSTRUCTIONS,
    clock,
    log,
    health,
  };
  const control = createServer({
    ...shared,
    dispatcher: createControlDispatcher({ core: { ...core, arming }, toolsets, clock, log, health }),
    authenticator: accounts,
    resources: [],
  });
  const tracer = telemetry?.tracer;
  const farmPort = farm && createFarmPort({ settings, farm, dispatcher, clock, log, tracer });
  const counters = createHubMetrics({ core, graph, dispatcher, snapshots, recorder, parts, telemetry });
  const server = createServer({
    ...shared,
    dispatcher,
    authenticator: accounts,
    authorization: accounts.authorization,
    approvals,
    metrics: () => [...counters(), ...(farmPort?.metrics() ?? [])],
    ledger,
    ...fixtures,
    resources: [
      // Before the graph's, which takes every other path of the scheme for one of its own.
      createActionResources({ door, journal }),
      subjects.resources,
      ...parts.flatMap((part) => part.resources ?? []),
      ...(fixtures?.resources ?? []),
    ],
    parts,
    resourceUpdatedEvery: farmUpdatedEvery,
    stateKey,
    limits: limitsFrom(shellLimits),
    allowedHosts: settings.listen.flatMap((listener) => listener.allowedHosts),
    // Who reaches the farm's port by number logs in on the main one by the same.
    ownAddressesAllowed: farm !== undefined,
    allowedOrigins: settings.listen.flatMap((listener) => listener.allowedOrigins),
    ...(telemetry === undefined ? {} : { tracer: telemetry.tracer }),
  });
  async function serveLocally(): Promise<void> {
    await server.serveSocket(socketPath(data));
    await control.serveSocket(controlPath(data));
  }

  /** Ends the looking at old actions, which may outlast the start. */
  const stopping = new AbortController();
  let upkeep: Cancel | undefined;

  return {
    async start(signal) {
      const what = "Old logins could not be forgotten.";
      upkeep ??= hourly({ clock, log, what, work: () => accounts.purgeLogins() });
      if (farm?.core) await deps.furnishFarm?.({ core: farm.core, store, journal });
      await Promise.all(parts.map((part) => part.start(signal)));
      await settle({ parts, clock, signal });
      system.tellInDoubt(
        await recoverActions({ door, clock, log, signal: AbortSignal.any([signal, stopping.signal]) }),
      );
    },
    async listen() {
      const urls: string[] = [];
      for (const [index, { host, port, serve, trustedProxy, insecure, tls }] of settings.listen.entries()) {
        const setting = index === 0 ? "listen[0].port (or --port)" : `listen[${index}].port`;
        const encrypted = tls === undefined ? {} : { tls: readTls(tls, `listen[${index}].tls`) };
        urls.push((await server.listen({ host, port, serve, setting, trustedProxy, insecure, ...encrypted })).url);
      }
      const farmAt = await farmPort?.listen();
      await serveLocally();
      return { url: urls[0] ?? "", urls, farm: farmAt?.url }; // the settings have at least one listener
    },
    serveLocally,
    async serveStdio({ input, output, role, view: wanted }, signal) {
      const view = readView(wanted, dispatcher);
      if (view === undefined) {
        const known = toolsets.map(({ name }) => name).join(", ");
        throw new SteadingError("USAGE", `There is no view ${wanted}; give essential, all, or one of ${known}.`);
      }
      // The principal of the local socket too: a key stays the same person's, whichever way the call came.
      const served = server.serveStdio({ input, output, caller: { principal: "local", role }, view });
      const leave = (): void => void served.close();
      signal.addEventListener("abort", leave, { once: true });
      await served.ended;
      signal.removeEventListener("abort", leave);
    },
    async firstToken(given) {
      return (await accounts.bootstrap(given))?.token;
    },
    accepts: async (token) => (await accounts.authenticate(token)) !== undefined,
    health,
    stop: () =>
      stopInOrder(log, [
        async () => stopping.abort(),
        async () => upkeep?.(),
        () => server.close(),
        async () => farmPort?.close(),
        () => control.close(),
        ...parts.toReversed().map((part) => () => part.stop()),
        () => recorder.stop(),
        async () => snapshots.close(),
        () => graph.close(),
        () => store.close(),
      ]),
  };
}
