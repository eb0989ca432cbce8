import { minutes, type JsonObject, type Route } from "@steading/kernel";
import * as z from "zod";
import { farmError } from "../farm-errors.ts";
import { parseGatewayAddress } from "../modbus/gateway-address.ts";
import { scanNetwork } from "../model/network-scan.ts";
import { registeredAt } from "../model/registered-at.ts";
import { scanUnits } from "../model/unit-scan.ts";
import { equipmentRow } from "../rows/equipment-row.ts";
import type { ApiDeps } from "./api-deps.ts";
import { created, farmRoute, ok, shaped, ShapeQuery } from "./farm-route.ts";

const port = z.int().min(1).max(65_535);
const unit = z.int().min(1).max(247);
const host = z
  .string()
  .max(253)
  .refine(
    (text) => !/[:[\s]/.test(text) && parseGatewayAddress(text) !== undefined,
    "must be a host or an IPv4 address",
  );
const transport = z.enum(["tcp", "rtu_over_tcp"]).default("tcp");

/** Longer than the longest search takes: 247 units at their longest time-out would be more, and are cut off. */
const SCAN_DEADLINE = minutes(5);

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.round(value)));

export function createScanRoutes({ core, clock }: ApiDeps): readonly Route[] {
  const { book, field, dial, deviceTemplates } = core;
  let searching = false;

  /** One at a time: two would only wait for each other, and a network full of probes helps nobody. */
  async function alone(search: () => Promise<JsonObject>): Promise<JsonObject> {
    if (searching) throw farmError("BUS_BUSY", "A search is under way; wait until it has ended.");
    searching = true;
    try {
      return await search();
    } finally {
      searching = false;
    }
  }

  return [
    farmRoute({
      method: "POST",
      path: "/api/equipment/scan",
      role: "operator",
      summary: "Look for gateways on one private /24",
      deadline: SCAN_DEADLINE,
      body: z
        .object({
          subnet: z.string().max(40).optional(),
          ports: z.array(port).min(1).max(8).default([502, 503]),
          timeout: z.number().default(1_000),
          scanType: z.enum(["network", "quick"]).default("network"),
        })
        .prefault({}),
      handle: async ({ body: { subnet, ports, timeout, scanType } }, { signal }) =>
        ok(
          await alone(() => {
            const request = {
              subnet,
              ports: [...new Set(ports)],
              timeoutMs: clamp(timeout, 100, 5_000),
              kind: scanType,
            };
            return scanNetwork(request, { book, dial, clock, signal });
          }),
        ),
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/scan-slaves",
      role: "operator",
      summary: "Ask a gateway's units one after another who is there",
      deadline: SCAN_DEADLINE,
      body: z
        .object({
          host,
          port: port.default(502),
          transport,
          startSlaveId: unit.default(1),
          endSlaveId: unit.default(247),
          timeout: z.number().default(500),
          batchSize: z.number().default(10),
        })
        .refine(({ startSlaveId, endSlaveId }) => startSlaveId <= endSlaveId, {
          message: "endSlaveId must not be below startSlaveId",
        }),
      async handle({ body: { startSlaveId: first, endSlaveId: last, timeout, batchSize, ...place } }, { signal }) {
        const request = {
          ...place,
          first,
          last,
          timeoutMs: clamp(timeout, 100, 5_000),
          batchSize: clamp(batchSize, 1, 50),
        };
        return ok(await alone(() => scanUnits(request, { book, field, clock, signal })));
      },
    }),
    farmRoute({
      method: "POST",
      path: "/api/equipment/scan-slaves/create-bulk",
      role: "operator",
      summary: "Make equipment of units that were found",
      query: ShapeQuery,
      body: z.object({
        host,
        port: port.default(502),
        transport,
        /** For every unit that names none of its own. */
        template_id: z.int().min(1).optional(),
        slaves: z
          .array(
            z.object({
              slave_id: unit,
              name: z.string().trim().min(1).max(200).optional(),
              type: z.string().trim().min(1).max(60).optional(),
              template_id: z.int().min(1).optional(),
            }),
          )
          .min(1)
          .max(247),
      }),
      async handle({ query: { shape }, body: { slaves, template_id, ...place } }, { caller }) {
        const made: JsonObject[] = [];
        const errors: JsonObject[] = [];
        for (const slave of slaves) {
          const { slave_id } = slave;
          const [taken] = registeredAt(book, { ...place, unit: slave_id });
          if (taken) {
            errors.push({ slave_id, error: `Unit ${slave_id} is equipment ${taken.id} already.` });
            continue;
          }
          const wanted = slave.template_id ?? template_id;
          const template = wanted === undefined ? undefined : deviceTemplates.get(wanted);
          const equipment = await book.create(
            {
              name: slave.name ?? `${template?.name ?? "Device"} ${slave_id}`,
              type: slave.type ?? template?.category ?? "sensor",
              address: `${place.host}:${place.port}`,
              transport: place.transport,
              slave_id,
              ...(template && {
                polling_interval_ms: template.default_polling_interval_ms,
                register_mappings: [...template.register_mappings],
              }),
            },
            caller.principal,
          );
          made.push(shaped(equipmentRow(equipment, core), shape));
        }
        return created({ created: made, count: made.length, ...(errors.length > 0 ? { errors } : {}) });
      },
    }),
  ];
}
