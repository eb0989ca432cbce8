import { networkInterfaces } from "node:os";
import { SteadingError, type Json, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { channelsOn } from "../model/equipment-state.ts";
import { iso } from "../model/instant.ts";
import { DEFAULT_NETWORK, Network, TimeZone } from "../model/setting-values.ts";
import { tableCounts } from "../rows/data-counts.ts";
import { storageJson } from "../rows/storage.ts";
import type { ApiDeps } from "./api-deps.ts";
import { farmRoute, ok } from "./farm-route.ts";
import { setTimeZone } from "./setup-routes.ts";

/** Keys that something stands behind. */
const Known = z.strictObject({
  locale: z.string().min(2).max(35).optional(),
  setup_completed: z.boolean().optional(),
  network: Network.optional(),
  timezone: z.union([TimeZone, z.object({ timezone: TimeZone }).transform(({ timezone }) => timezone)]).optional(),
});

const CONFIRMATION = "FACTORY_RESET";

export function createSettingsRoutes({ core, facts, accounts }: ApiDeps): readonly Route[] {
  const { settings, tables, book, now } = core;

  return [
    farmRoute({
      method: "GET",
      path: "/api/settings",
      role: "admin",
      summary: "All settings; secrets are only told to be there",
      handle: () => ok(settings.shown()),
    }),
    farmRoute({
      method: "PUT",
      path: "/api/settings",
      role: "admin",
      summary: "Change locale, timezone, network or setup_completed",
      body: Known,
      async handle({ body: { timezone, ...rest } }, { caller }) {
        const given = Object.entries(rest).filter(([, value]) => value !== undefined);
        await settings.set(Object.fromEntries(given) as Record<string, Json>, caller.principal); // parsed from JSON
        if (timezone !== undefined) await setTimeZone(core, timezone, caller.principal);
        return ok(settings.shown());
      },
    }),
    farmRoute({
      method: "GET",
      path: "/api/settings/storage",
      role: "admin",
      summary: "What is kept, and how much room is left",
      handle: async () => ok({ ...(await storageJson(facts)), counts: tableCounts(core) }),
    }),
    farmRoute({
      method: "GET",
      path: "/api/settings/network",
      role: "admin",
      summary: "The network as it was set, and as the machine has it",
      handle: () => ok({ ...DEFAULT_NETWORK, ...(settings.get("network") as JsonObject), interfaces: interfaces() }),
    }),
    farmRoute({
      method: "PUT",
      path: "/api/settings/network",
      role: "admin",
      summary: "Keep the network's settings; the machine itself is not changed",
      body: Network,
      async handle({ body }, { caller }) {
        await settings.set({ network: body }, caller.principal);
        return ok({ message: "Network settings saved", ...body });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/settings/factory-reset",
      role: "admin",
      summary: "Delete everything of the farm; needs the own password and the word FACTORY_RESET",
      body: z.object({ password: z.string().min(1).max(1_000), confirm: z.string() }),
      async handle({ body: { password, confirm } }, { caller, remoteAddress }) {
        if (confirm !== CONFIRMATION) throw farmError("BAD_INPUT", `confirm must be ${CONFIRMATION}.`);
        await checkPassword(caller.principal, password, remoteAddress);
        const on = book.list().filter(({ id }) => channelsOn(book.state(id)).length > 0);
        if (on.length > 0) {
          const ids = on.map(({ id }) => id);
          throw farmError("CHANNEL_IS_ON", `Equipment ${ids.join(", ")} is on; switch it off first.`, {
            details: { equipment: ids },
          });
        }
        const counts = tableCounts(core);
        const by = caller.principal;
        for (const { id } of book.list()) await book.remove(id, { force: true, by });
        for (const { id } of core.automations.list()) await core.automations.remove(id, by);
        for (const { id } of core.zones.list()) await core.zones.remove(id, by);
        await tables.clearAll({ kind: "farm.factory-reset", by, data: { at: iso(now()) } });
        return ok({ message: "Everything of the farm was deleted; accounts and history stay", deleted: counts });
      },
    }),
  ];

  /** A session alone is not enough to delete everything: whoever found the screen unlocked has one, too. */
  async function checkPassword(name: string, password: string, address: string): Promise<void> {
    try {
      const { token } = await accounts.login({ name, password, address });
      await accounts.logout(token);
    } catch (error) {
      if (!(error instanceof SteadingError) || error.code !== "LOGIN_FAILED") throw error;
      throw new SteadingError("ACCESS_DENIED", "The password is wrong.");
    }
  }
}

function interfaces(): JsonObject[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ address, family, internal }) => ({ name, address, family, internal })),
  );
}
