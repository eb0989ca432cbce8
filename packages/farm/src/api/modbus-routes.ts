import type { Json, Route } from "@steading/kernel";
import * as z from "zod";
import type { ModbusWrite } from "../model/bus-write-effect.ts";
import { performerFor, type ApiDeps } from "./api-deps.ts";
import { farmRoute, ok } from "./farm-route.ts";

const Place = z.object({
  host: z.ipv4(),
  port: z.int().min(1).max(65_535).default(502),
  unitId: z.int().min(0).max(255).default(1),
  transport: z.enum(["tcp", "rtu_over_tcp"]).default("tcp"),
  address: z.int().min(0).max(65_535),
});
const Question = Place.extend({ quantity: z.int().min(1).max(125).default(1) });
const Order = Place.extend({ force: z.boolean().default(false) });
const word = z.int().min(0).max(65_535);

const READS = [
  { path: "coils", fc: 1, name: "Read Coils" },
  { path: "discrete-inputs", fc: 2, name: "Read Discrete Inputs" },
  { path: "holding-registers", fc: 3, name: "Read Holding Registers" },
  { path: "input-registers", fc: 4, name: "Read Input Registers" },
] as const;

/** Modbus by hand: reading for operators, writing for admins. */
export function createModbusRoutes(deps: ApiDeps): readonly Route[] {
  const { direct } = deps.core;

  /** One of the four writes; `toWrite` makes the request of the checked body. */
  function writeRoute<B extends z.ZodObject>(
    path: string,
    function_: { readonly functionCode: number; readonly functionName: string },
    body: B,
    toWrite: (body: z.output<B>) => ModbusWrite,
  ): Route {
    return farmRoute({
      method: "POST",
      path: `/api/modbus/write/${path}`,
      role: "admin",
      summary: `${function_.functionName} (FC ${function_.functionCode}); refused for registered equipment unless force`,
      body,
      async handle(input, context) {
        // What extends Order has everything that Order has.
        const { host, port, unitId, transport, address, force } = Order.parse(input.body);
        const perform = performerFor(deps, context, "modbus_write");
        const write = toWrite(input.body as z.output<B>);
        const written = await direct.write({ host, port, unitId, transport }, write, { force, perform });
        return ok({ success: true, ...function_, host, port, unitId, address, ...valuesOf(write), ...written });
      },
    });
  }

  return [
    ...READS.map(({ path, fc, name }) =>
      farmRoute({
        method: "POST",
        path: `/api/modbus/read/${path}`,
        role: "operator",
        summary: `${name} (FC ${fc})`,
        body: Question,
        async handle({ body: { address, quantity, ...place } }, { signal }) {
          const data = await direct.read(place, { fc, address, quantity }, signal);
          const { host, port, unitId } = place;
          return ok({
            success: true,
            functionCode: fc,
            functionName: name,
            host,
            port,
            unitId,
            address,
            quantity,
            data: [...data],
          });
        },
      }),
    ),
    writeRoute(
      "coil",
      { functionCode: 5, functionName: "Write Single Coil" },
      Order.extend({ value: z.boolean() }),
      ({ unitId: unit, address, value: on }) => ({ kind: "write-coil", unit, address, on }),
    ),
    writeRoute(
      "register",
      { functionCode: 6, functionName: "Write Single Register" },
      Order.extend({ value: word }),
      ({ unitId: unit, address, value }) => ({ kind: "write-register", unit, address, value }),
    ),
    writeRoute(
      "coils",
      { functionCode: 15, functionName: "Write Multiple Coils" },
      Order.extend({ values: z.array(z.boolean()).min(1).max(1_968) }),
      ({ unitId: unit, address, values: states }) => ({ kind: "write-coils", unit, address, states }),
    ),
    writeRoute(
      "registers",
      { functionCode: 16, functionName: "Write Multiple Registers" },
      Order.extend({ values: z.array(word).min(1).max(123) }),
      ({ unitId: unit, address, values }) => ({ kind: "write-registers", unit, address, values }),
    ),
  ];
}

function valuesOf(write: ModbusWrite): Record<string, Json> {
  switch (write.kind) {
    case "write-coil":
      return { value: write.on };
    case "write-register":
      return { value: write.value };
    case "write-coils":
      return { quantity: write.states.length };
    case "write-registers":
      return { quantity: write.values.length };
  }
}
