import { isJsonObject, millis, minutes, seconds, type Clock, type Log, type SteadingError } from "@steading/kernel";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreAnswer, CoreHttp } from "./core-http.ts";
import { toInstant } from "./core-values.ts";

/** The bridge's own login, for callers who have none at the core. */
export interface ServiceLogin {
  readonly configured: boolean;
  /** A token that was good when it was last used. `not`: one that the core has just refused. */
  token(options: { readonly until: number; readonly not?: string | undefined }): Promise<string>;
}

const LOGIN_DEADLINE = seconds(5);
/** Cores count wrong logins and shut the account after a few; a wrong password is not tried at every call. */
const FIRST_PAUSE = minutes(1);
const LONGEST_PAUSE = minutes(15);
const TOKEN = /^[\w.~+/=-]{1,8192}$/;

export function createServiceLogin({
  http,
  account,
  clock,
  log,
}: {
  readonly http: CoreHttp;
  readonly account: { readonly email: string; readonly password: string } | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): ServiceLogin {
  let current: { readonly token: string; readonly endsAt: number } | undefined;
  let running: Promise<string> | undefined;
  let refused: { readonly error: SteadingError; readonly until: number; readonly pause: number } | undefined;

  function refuse(error: SteadingError, answer: CoreAnswer): SteadingError {
    const asked = answer.retryAfter === undefined ? 0 : seconds(answer.retryAfter);
    const grown = refused === undefined ? FIRST_PAUSE : refused.pause * 2;
    const pause = Math.min(Math.max(grown, asked), LONGEST_PAUSE);
    refused = { error, until: clock.monotonic() + pause, pause };
    log.warn("The core refuses the service login.", { status: answer.status, pause_ms: pause });
    return error;
  }

  async function login({ email, password }: { email: string; password: string }): Promise<string> {
    const answer = await http.ask({
      method: "POST",
      path: "/api/auth/login",
      body: { email, password },
      until: clock.monotonic() + LOGIN_DEADLINE,
    });
    const { status, body } = answer;
    if (status === 200 && isJsonObject(body) && typeof body["token"] === "string" && TOKEN.test(body["token"])) {
      refused = undefined;
      current = { token: body["token"], endsAt: toInstant(body["expiresAt"]) ?? Infinity };
      return current.token;
    }
    if (status >= 500) throw bridgeError("CORE_DOWN", `The core answered ${status} to the service login.`);
    if (status === 429) throw refuse(bridgeError("CORE_BUSY", "The core takes no logins at present."), answer);
    if (status >= 400) {
      throw refuse(
        bridgeError(
          "SERVICE_LOGIN_REFUSED",
          "The core refuses the login of MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD.",
        ),
        answer,
      );
    }
    throw bridgeError("CORE_GARBLED", "The core answered the service login with something that is no token.");
  }

  return {
    configured: account !== undefined,
    async token({ until, not }) {
      if (!account) {
        throw bridgeError(
          "SERVICE_LOGIN_MISSING",
          "This caller has no login at the core, and the bridge has none either: MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD are not set.",
        );
      }
      if (current && current.token !== not && current.endsAt > clock.now()) return current.token;
      if (refused && refused.until > clock.monotonic()) throw refused.error;
      running ??= login(account).finally(() => (running = undefined));
      return within(running, until, clock);
    },
  };
}

/** The login goes on for the others when one of those who wait for it cannot wait any longer. */
function within(login: Promise<string>, until: number, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(millis(Math.max(0, until - clock.monotonic())), () =>
      reject(bridgeError("CORE_TIMEOUT", "The core did not answer the service login in time.")),
    );
    login.finally(cancel).then(resolve, reject);
  });
}
