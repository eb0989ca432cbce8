import type { Role } from "@steading/kernel";
import type { FarmPlace } from "./farm-place.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface RestAnswer {
  readonly status: number;
  readonly json: Row;
  /** The same, of a call that answers a list. */
  readonly rows: readonly Row[];
  /** The number of what was answered. */
  readonly id: number;
  readonly text: string;
  readonly headers: Headers;
}

export type RestCall = (
  method: string,
  path: string,
  options?: { readonly role?: Role | "nobody"; readonly body?: unknown; readonly token?: string },
) => Promise<RestAnswer>;

/** Calls the farm's REST over a real socket, each time as somebody of that role. */
export async function createFarmRest(place: FarmPlace): Promise<RestCall> {
  const tokens: Partial<Record<string, string>> = {};
  for (const role of ["viewer", "operator", "admin"] as const) tokens[role] = await place.login(role);
  return async (method, path, { role = "operator", body, token = tokens[role] } = {}) => {
    const answer = await fetch(`${place.core}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = (text === "" ? {} : JSON.parse(text)) as Row; // whoever asks for rows knows that it is a list
    const rows = json as unknown as readonly Row[];
    return { status: answer.status, json, rows, id: Number(json["id"]), text, headers: answer.headers };
  };
}
