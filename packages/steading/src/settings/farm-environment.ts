import { ROLES, SteadingError, type Role } from "@steading/kernel";

/** What the variables of a SenseHub installation say. */
export interface FarmEnvironment {
  /** `MCP_PORT`. */
  readonly port?: number;
  /** `SESSION_TIMEOUT`. */
  readonly sessionTimeoutMs?: number;
  /** `SENSEHUB_API_URL`: the core to stand in front of. */
  readonly apiUrl?: string;
  readonly credentials?: FarmCredentials;
}

/** What may not stand in a settings file. */
export interface FarmCredentials {
  /** `MCP_API_KEY` and `MCP_API_KEY_ROLE`. */
  readonly apiKey?: { readonly key: string; readonly role: Role };
  /** `MCP_SENSEHUB_EMAIL` and `MCP_SENSEHUB_PASSWORD`. */
  readonly service?: { readonly email: string; readonly password: string };
}

/** A bearer value that can be guessed is a door without a lock. */
const SHORTEST_KEY = 16;
/** What fits into an Authorization header as a bearer token. */
export const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;
const SHORTEST_SESSION = 60_000;
const LONGEST_SESSION = 30 * 86_400_000;

/** Undefined: none of them is set. */
export function readFarmEnvironment(get: (name: string) => string | undefined): FarmEnvironment | undefined {
  const port = portIn("MCP_PORT", get);
  const sessionTimeoutMs = asSessionTimeout(get("SESSION_TIMEOUT"));
  const apiUrl = asApiUrl(get("SENSEHUB_API_URL"));
  const apiKey = asApiKey(get("MCP_API_KEY"), get("MCP_API_KEY_ROLE"));
  const service = asService(get("MCP_SENSEHUB_EMAIL"), get("MCP_SENSEHUB_PASSWORD"));
  const credentials = { ...(apiKey && { apiKey }), ...(service && { service }) };
  const found: FarmEnvironment = {
    ...(port !== undefined && { port }),
    ...(sessionTimeoutMs !== undefined && { sessionTimeoutMs }),
    ...(apiUrl !== undefined && { apiUrl }),
    ...((apiKey ?? service) && { credentials }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

export function refuseVariable(message: string): SteadingError {
  return new SteadingError("ENVIRONMENT_INVALID", message);
}

export function portIn(name: string, get: (name: string) => string | undefined): number | undefined {
  const text = get(name);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw refuseVariable(`${name} is not a port; set it to a number from 0 to 65535 or leave it out.`);
  }
  return port;
}

function asSessionTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Number(text);
  if (!/^\d+$/.test(text) || ms < SHORTEST_SESSION || ms > LONGEST_SESSION) {
    throw refuseVariable(
      `SESSION_TIMEOUT is in milliseconds, from ${SHORTEST_SESSION} to ${LONGEST_SESSION}; 28800000 are eight hours.`,
    );
  }
  return ms;
}

function asApiUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isWeb) throw refuseVariable("SENSEHUB_API_URL is not an address; write one such as http://localhost:3000.");
  return text;
}

function asApiKey(key: string | undefined, role: string | undefined): FarmCredentials["apiKey"] {
  const known = role === undefined ? "operator" : ROLES.find((each) => each === role);
  if (!known) throw refuseVariable(`MCP_API_KEY_ROLE is not a role; set it to ${ROLES.join(", ")} or leave it out.`);
  if (key === undefined) return undefined;
  if (key.length < SHORTEST_KEY || !BEARER.test(key)) {
    throw refuseVariable(
      `MCP_API_KEY needs at least ${SHORTEST_KEY} characters that a bearer token may have; make one with: openssl rand -hex 32`,
    );
  }
  return { key, role: known };
}

function asService(email: string | undefined, password: string | undefined): FarmCredentials["service"] {
  if (email === undefined && password === undefined) return undefined;
  if (email !== undefined && password !== undefined) return { email, password };
  throw refuseVariable("MCP_SENSEHUB_EMAIL and MCP_SENSEHUB_PASSWORD belong together; set both or neither.");
}
