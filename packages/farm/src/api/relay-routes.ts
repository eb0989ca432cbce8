import type { Json, Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { channelsOf, checkKnowable, checkState } from "../model/channel.ts";
import { iso } from "../model/instant.ts";
import { setRegister } from "../model/set-register.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { farmRoute, IdParams, ok } from "./farm-route.ts";

// What must be true of channel and state is said in one place for every caller, so the body only has to be an object.
const Command = z.looseObject({ channel: z.unknown(), state: z.unknown(), duration_seconds: z.unknown().optional() });

export function createRelayRoutes(deps: ApiDeps): readonly Route[] {
  const { core } = deps;
  const { book, field, relays, now } = core;

  function autoOffAt(id: number, channel: number): string | null {
    const off = relays.autoOff(id, channel);
    return off ? iso(off.at) : null;
  }

  return [
    farmRoute({
      method: "GET",
      path: "/api/equipment/:id/relay/state",
      role: "viewer",
      summary: "Every channel as last read",
      params: IdParams,
      handle({ params: { id } }) {
        const equipment = book.get(id);
        const states = book.state(id).channels;
        const channels = channelsOf(book, equipment).map(({ name, label, address }) => {
          const known = states.get(address);
          return {
            name,
            label: label ?? null,
            address,
            state: known?.on ?? null,
            confirmed: known !== undefined && known.on !== null && known.confirmedAt !== null,
            age_seconds: known === undefined ? null : Math.max(0, Math.round((now() - known.at) / 1_000)),
            auto_off_at: autoOffAt(id, address),
            hold_until: null,
          };
        });
        const newest = Math.max(...[...states.values()].map(({ at }) => at), -Infinity);
        return ok({
          equipmentId: id,
          name: equipment.name,
          writeOnly: equipment.write_only,
          channels,
          lastUpdated: Number.isFinite(newest) ? iso(newest) : null,
        });
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/relay/control",
      role: "operator",
      summary: "Switch one channel and read it back",
      params: IdParams,
      body: Command,
      urgent: ({ body: { state } }) => state === false,
      async handle({ params: { id }, body: { channel, state, duration_seconds } }, context) {
        const request = {
          equipmentId: id,
          channel,
          state,
          source: "manual",
          durationSeconds: duration_seconds,
        } as const;
        return ok(await relays.switch(request, performerFor(deps, context, "control_relay")));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/relay/all",
      role: "operator",
      summary: "Switch every channel, all alike or each as told in the order of the mappings",
      params: IdParams,
      body: z.looseObject({ state: z.unknown().optional(), states: z.array(z.unknown()).max(512).optional() }),
      urgent: ({ body: { state, states } }) =>
        states === undefined ? state === false : states.every((on) => on === false),
      async handle({ params: { id }, body: { state, states } }, context) {
        const wanted = states === undefined ? checkState(state) : states.map(checkState);
        const perform = performerFor(deps, context, "relay_all");
        // A board that is switched channel by channel is several actions under the one key that the client sent.
        const each: typeof perform = (effect) => perform({ ...effect, sameKey: "separate" });
        return ok(await relays.switchAll(id, wanted, "all_channels", each));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/:id/control",
      role: "operator",
      summary: "on, off or toggle of a channel, or set of a register",
      params: IdParams,
      body: z.looseObject({
        action: z.string().max(40),
        value: z.unknown().optional(),
        channel: z.unknown().optional(),
        target: z.unknown().optional(),
      }),
      urgent: ({ body: { action } }) => action === "off",
      async handle({ params: { id }, body: { action, value, channel: given, target } }, context) {
        const equipment = book.get(id);
        const perform = performerFor(deps, context, "control_equipment");
        if (action === "set") {
          const set = await setRegister({ equipmentId: id, value, target }, { book, field, perform });
          core.events.emit({
            kind: "control",
            id,
            data: { action, target: set["target"] ?? null, value: set["value"] ?? null },
          });
          return ok({ ...set, action });
        }
        const channels = channelsOf(book, equipment);
        const channel = given ?? (channels.length === 1 ? channels[0]?.address : undefined);
        if (!["on", "off", "toggle"].includes(action) || typeof channel !== "number") {
          throw farmError(
            "NOT_SWITCHABLE",
            "Only on, off and toggle of one relay channel and set of a register can be done; name the channel where there are several.",
          );
        }
        if (action === "toggle") checkKnowable(equipment);
        const state =
          action === "toggle"
            ? !(await field.readChannel(equipment, channel, { priority: "command" })).value
            : action === "on";
        const request = { equipmentId: id, channel, state, source: "manual" } as const;
        const switched: Json = await relays.switch(request, perform);
        core.events.emit({ kind: "control", id, data: { action, channel, state } });
        return ok({ ...switched, action });
      },
    }),
  ];
}
