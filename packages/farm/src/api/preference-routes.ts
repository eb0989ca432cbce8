import type { Account, Route, RouteContext } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { WireFlag } from "../model/equipment-input.ts";
import type { Preferences } from "../model/rows.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, ok, shaped, ShapeQuery, type Shape } from "./farm-route.ts";

const PATH = "/api/users/me/preferences";
const sound = z.string().min(1).max(60);

export function createPreferenceRoutes({ accounts, core }: ApiDeps): readonly Route[] {
  const { preferences } = core;

  function self({ caller }: RouteContext): Account {
    const account = accounts.find(caller.principal);
    if (!account) throw farmError("USER_UNKNOWN", "Only somebody with an account has preferences.");
    return account;
  }
  const row = ({ id: user_id, ...rest }: Preferences, shape: Shape) => shaped({ user_id, ...rest }, shape);

  return [
    farmRoute({
      method: "GET",
      path: PATH,
      role: "viewer",
      summary: "How one's own alerts sound",
      query: ShapeQuery,
      handle: ({ query }, context) => ok(row(preferences.of(self(context).id), query.shape)),
    }),
    farmRoute({
      method: "PUT",
      path: PATH,
      role: "viewer",
      summary: "Change one's own preferences",
      query: ShapeQuery,
      body: z.object({
        sound_alerts_enabled: WireFlag.optional(),
        sound_volume: z.number().optional(),
        alert_sound_critical: sound.optional(),
        alert_sound_warning: sound.optional(),
        alert_sound_info: sound.optional(),
      }),
      handle: async ({ query, body }, context) =>
        ok(row(await preferences.change(self(context).id, body), query.shape)),
    }),
  ];
}
