import { ROLES, SteadingError, type Role } from "@steading/kernel";

/** What the environment says. The one place that looks at it. */
export interface Environment {
  readonly data?: string;
  readonly role?: Role;
  /** Becomes the first admin's access token. */
  readonly bootstrapToken?: string;
  /** Signs logins; generated when it is not set. */
  readonly jwtSecret?: string;
  /** Credential of `steading call` towards a hub that is reached by URL. */
  readonly token?: string;
  /** `HOST` and `PORT` of the farm contract. */
  readonly host?: string;
  readonly port?: number;
  readonly home: string;
  readonly xdgDataHome?: string;
  readonly xdgConfigHome?: string;
  /** Where Windows keeps the settings of programs. */
  readonly appData?: string;
}

const SHORTEST_TOKEN = 32;
/** What fits into an Authorization header as a bearer token. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): Environment {
  const get = (name: string): string | undefined => variables[name] || undefined; // an empty variable is an unset one
  const data = get("STEADING_DATA");
  const role = asRole(get("STEADING_ROLE"));
  const bootstrapToken = asBootstrapToken(get("STEADING_BOOTSTRAP_TOKEN"));
  const token = get("STEADING_TOKEN");
  const jwtSecret = get("JWT_SECRET");
  const host = get("HOST");
  const port = asPort(get("PORT"));
  const xdgDataHome = get("XDG_DATA_HOME");
  const xdgConfigHome = get("XDG_CONFIG_HOME");
  const appData = get("APPDATA");
  return {
    home: get("HOME") ?? get("USERPROFILE") ?? ".",
    ...(data !== undefined && { data }),
    ...(role !== undefined && { role }),
    ...(bootstrapToken !== undefined && { bootstrapToken }),
    ...(token !== undefined && { token }),
    ...(jwtSecret !== undefined && { jwtSecret }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(xdgDataHome !== undefined && { xdgDataHome }),
    ...(xdgConfigHome !== undefined && { xdgConfigHome }),
    ...(appData !== undefined && { appData }),
  };
}

function refuse(message: string): SteadingError {
  return new SteadingError("ENVIRONMENT_INVALID", message);
}

function asRole(text: string | undefined): Role | undefined {
  if (text === undefined) return undefined;
  const role = ROLES.find((each) => each === text);
  if (!role) throw refuse(`STEADING_ROLE is not a role; set it to ${ROLES.join(", ")} or leave it out.`);
  return role;
}

function asBootstrapToken(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length < SHORTEST_TOKEN) {
    throw refuse(
      `STEADING_BOOTSTRAP_TOKEN has ${text.length} characters and needs at least ${SHORTEST_TOKEN}; ` +
        "make one with: openssl rand -hex 32",
    );
  }
  if (!TOKEN.test(text)) {
    throw refuse(
      "STEADING_BOOTSTRAP_TOKEN has characters that a bearer token cannot have; make one with: openssl rand -hex 32",
    );
  }
  return text;
}

function asPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw refuse("PORT is not a port; set it to a number from 0 to 65535 or leave it out.");
  }
  return port;
}
