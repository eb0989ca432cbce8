import type { Readable, Writable } from "node:stream";
import {
  createActionResources,
  createActionTools,
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createReception,
  type Clock,
  type Dispatcher,
  type Health,
  type Log,
  type Part,
  type Role,
} from "@steading/kernel";
import { createLampPart } from "@steading/lamp";
import { createAccessTokens, createFindToolset, createServer, type ConformanceFixtures } from "@steading/server";
import { openStore } from "@steading/store";
import { createGraph, state, type Graph } from "@steading/subjects";
import { checkSocketPath } from "../local/hub-socket.ts";
import { socketPath } from "../settings/data-directory.ts";
import type { Settings } from "../settings/settings-schema.ts";
import { createHistoryPort } from "./history-port.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { packageVersion } from "./package-version.ts";
import { recordHistory } from "./record-history.ts";
import { recoverActions } from "./recover-actions.ts";
import { secretFile } from "./secret-file.ts";
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
  /** Parts beside those of the settings: the demo's virtual place. */
  more?(deps: { readonly graph: Graph; readonly clock: Clock; readonly log: Log }): readonly Part[];
  /** What the conformance referee needs besides, instead of credentials. A real hub has none. */
  readonly fixtures?: ConformanceFixtures;
}

/** One hub, put together and ready to be started. Nothing listens until it is asked to. */
export interface Hub {
  /** Starts every part, then looks at the actions that a crash left open. */
  start(signal: AbortSignal): Promise<void>;
  /** Opens every listener of the settings and the local socket. Answers the main listener's address. */
  listen(): Promise<{ readonly url: string }>;
  serveLocally(): Promise<void>;
  /** Speaks MCP on these streams until the client leaves or the signal aborts. */
  serveStdio(streams: { input: Readable; output: Writable; role: Role }, signal: AbortSignal): Promise<void>;
  /** Makes the first admin's token, when there is none at all. */
  firstToken(given?: string): Promise<string | undefined>;
  accepts(token: string): Promise<boolean>;
  health(): Health;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** The composition root: what a hub is made of, and in which order. */
export async function createHub({ settings, data, clock, log, more, fixtures }: HubDeps): Promise<Hub> {
  checkSocketPath(socketPath(data));
  const { access } = settings;
  const stateKey = secretFile(data, "state.key");
  const store = await openStore({ dir: data, clock, log });
  const { ledger, history } = store;

  const reception = createReception(clock);
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const door = createDoor({ ledger, journal, approvals, reception, clock, log, access: () => access });
  const graph = createGraph({ clock, log });
  const version = packageVersion();
  const system = mountSystem({ graph, version, access });

  const recorder = recordHistory({ graph, history, provider: state(), log });

  const parts: readonly Part[] = [
    createLampPart({ graph, door, reception, clock, log, lamps: settings.lamps }),
    ...(more?.({ graph, clock, log }) ?? []),
  ];

  const subjects = createSteadingSubjectTools(
    () => graph.root,
    (config) => {
      config.access = access;
      config.journal = journalSubjects({ journal, log });
      config.history = createHistoryPort(history);
    },
  );
  const toolsets = [
    subjects,
    subjects.extras,
    createActionTools({ door }),
    createFindToolset({ dispatcher: () => dispatcher }),
    ...parts.flatMap((part) => part.toolsets),
  ];
  const dispatcher: Dispatcher = createDispatcher({ toolsets, door, clock, log });
  const tokens = createAccessTokens({ ledger, clock });
  const health = (): Health => worstHealth(parts);
  const server = createServer({
    dispatcher,
    authenticator: tokens,
    ...fixtures,
    resources: [
      // Before the graph's, which takes every other path of the scheme for one of its own.
      createActionResources({ door, journal }),
      subjects.resources,
      ...parts.flatMap((part) => part.resources ?? []),
      ...(fixtures?.resources ?? []),
    ],
    info: { name: "steading", title: "Steading", version },
    instructions: INSTRUCTIONS,
    stateKey,
    clock,
    log,
    allowedHosts: settings.listen.flatMap((listener) => listener.allowedHosts),
    health,
  });

  async function serveLocally(): Promise<void> {
    await server.serveSocket(socketPath(data));
  }

  return {
    async start(signal) {
      await Promise.all(parts.map((part) => part.start(signal)));
      system.tellInDoubt(await recoverActions({ door, clock, log, signal }));
    },
    async listen() {
      const urls: string[] = [];
      for (const [index, { host, port, trustedProxy, insecure }] of settings.listen.entries()) {
        const setting = index === 0 ? "listen[0].port (or --port)" : `listen[${index}].port`;
        urls.push((await server.listen({ host, port, setting, insecure: trustedProxy || insecure })).url);
      }
      await serveLocally();
      return { url: urls[0] ?? "" }; // the settings have at least one listener
    },
    serveLocally,
    async serveStdio({ input, output, role }, signal) {
      // The principal of the local socket too: a key stays the same person's, whichever way the call came.
      const served = server.serveStdio({ input, output, caller: { principal: "local", role } });
      const leave = (): void => void served.close();
      signal.addEventListener("abort", leave, { once: true });
      await served.ended;
      signal.removeEventListener("abort", leave);
    },
    async firstToken(given) {
      return (await tokens.ensureBootstrap(given))?.token;
    },
    accepts: async (token) => (await tokens.authenticate(token)) !== undefined,
    health,
    stop: () =>
      stopInOrder(log, [
        () => server.close(),
        ...parts.toReversed().map((part) => () => part.stop()),
        () => recorder.stop(),
        () => graph.close(),
        () => store.close(),
      ]),
  };
}
