import { dirname } from "node:path";
import { ROLES, type Role } from "@steading/kernel";
import {
  BEARER,
  portIn,
  readFarmEnvironment,
  refuseVariable as refuse,
  type FarmEnvironment,
} from "./farm-environment.ts";

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
  /** Directory of `DB_PATH`, where a SenseHub kept its database. */
  readonly databaseDirectory?: string;
  readonly farm?: FarmEnvironment;
  readonly home: string;
  readonly xdgDataHome?: string;
  readonly xdgConfigHome?: string;
  /** Where Windows keeps the settings of programs. */
  readonly appData?: string;
}

const SHORTEST_TOKEN = 32;

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): Environment {
  const get = (name: string): string | undefined => variables[name] || undefined; // an empty variable is an unset one
  const data = get("STEADING_DATA");
  const role = asRole(get("STEADING_ROLE"));
  const bootstrapToken = asBootstrapToken(get("STEADING_BOOTSTRAP_TOKEN"));
  const token = get("STEADING_TOKEN");
  const jwtSecret = get("JWT_SECRET");
  const host = get("HOST");
  const port = portIn("PORT", get);
  const databasePath = get("DB_PATH");
  const farm = readFarmEnvironment(get);
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
    ...(databasePath !== undefined && { databaseDirectory: dirname(databasePath) }),
    ...(farm && { farm }),
    ...(xdgDataHome !== undefined && { xdgDataHome }),
    ...(xdgConfigHome !== undefined && { xdgConfigHome }),
    ...(appData !== undefined && { appData }),
  };
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
  if (!BEARER.test(text)) {
    throw refuse(
      "STEADING_BOOTSTRAP_TOKEN has characters that a bearer token cannot have; make one with: openssl rand -hex 32",
    );
  }
  return text;
}
