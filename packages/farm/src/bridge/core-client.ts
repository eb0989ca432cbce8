import { seconds, type Caller, type Clock, type Json } from "@steading/kernel";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreAnswer, CoreHttp, CoreRequest } from "./core-http.ts";
import type { CoreReach } from "./core-reach.ts";
import { coreRefusal, type CoreSubject } from "./core-refusal.ts";
import type { CoreSessions } from "./core-sessions.ts";
import type { ServiceLogin } from "./service-login.ts";

export interface CoreCall extends Omit<CoreRequest, "token" | "until" | "signal"> {
  readonly about?: CoreSubject | undefined;
}

/** Asks the core as one person. Resolves with the body of an answer that is good, and throws for every other. */
export type AskCore = (call: CoreCall) => Promise<Json>;

export interface CoreClient {
  /** With the caller's own login when they have one at the core, else with the bridge's. */
  as(caller: Pick<Caller, "credential">, signal?: AbortSignal): AskCore;
  /** For the bridge's own looking: its login, or the one that was seen last. Undefined: there is neither. */
  forWatching(): AskCore | undefined;
  /** The one call that needs no login. */
  alive(): Promise<void>;
  /** A token for the core's socket; throws as `forWatching` would. */
  watchToken(): Promise<string | undefined>;
}

/** The client gives up after ten seconds, the tool after nine. */
const BUDGET = seconds(8);

export function createCoreClient({
  http,
  reach,
  sessions,
  service,
  clock,
}: {
  readonly http: CoreHttp;
  readonly reach: CoreReach;
  readonly sessions: CoreSessions;
  readonly service: ServiceLogin;
  readonly clock: Clock;
}): CoreClient {
  async function send(request: CoreRequest): Promise<CoreAnswer> {
    try {
      const answer = await http.ask(request);
      if (answer.status === 200 && answer.body === undefined) throw garbled();
      reach.answered();
      return answer;
    } catch (error) {
      reach.failed(error);
      throw error;
    }
  }

  async function asPerson(credential: string, request: CoreRequest): Promise<CoreAnswer> {
    const token = sessions.tokenOf(credential);
    if (token === undefined) throw ended();
    const answer = await send({ ...request, token });
    if (answer.status !== 401) return answer;
    sessions.ended(credential);
    throw ended();
  }

  /** A login that the core has forgotten is renewed, once; a second refusal is an answer. */
  async function asService(request: CoreRequest): Promise<CoreAnswer> {
    const { until } = request;
    const token = await loggedIn({ until });
    const answer = await send({ ...request, token });
    if (answer.status !== 401) return answer;
    const again = await send({ ...request, token: await loggedIn({ until, not: token }) });
    if (again.status !== 401) return again;
    throw bridgeError("SERVICE_LOGIN_REFUSED", "The core gives the service a login and then does not accept it.");
  }

  async function loggedIn(options: { readonly until: number; readonly not?: string }): Promise<string> {
    try {
      return await service.token(options);
    } catch (error) {
      reach.failed(error);
      throw error;
    }
  }

  function asking(credential: string | undefined, signal?: AbortSignal): AskCore {
    const until = clock.monotonic() + BUDGET;
    return async ({ about, ...call }) => {
      const request: CoreRequest = { ...call, until, signal };
      const answer = await (sessions.owns(credential) ? asPerson(credential, request) : asService(request));
      if (answer.status < 200 || answer.status > 299) throw coreRefusal(answer, about);
      if (answer.body === undefined) throw garbled();
      return answer.body;
    };
  }

  return {
    as: ({ credential }, signal) => asking(credential, signal),
    forWatching() {
      if (service.configured) return asking(undefined);
      return sessions.newest === undefined ? undefined : asking(sessions.newest);
    },
    async alive() {
      const until = clock.monotonic() + BUDGET;
      await send({ method: "GET", path: "/api/health", until });
    },
    async watchToken() {
      if (service.configured) return loggedIn({ until: clock.monotonic() + BUDGET });
      return sessions.newest === undefined ? undefined : sessions.tokenOf(sessions.newest);
    },
  };
}

function ended() {
  return bridgeError("SESSION_ENDED", "The core does not accept this login any more.");
}
function garbled() {
  return bridgeError("CORE_GARBLED", "The core answered with something that is no JSON.");
}
