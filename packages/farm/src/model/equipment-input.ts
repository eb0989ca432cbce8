import { isJsonObject, type JsonObject } from "@steading/kernel";
import * as z from "zod";
import { parseGatewayAddress } from "../modbus/gateway-address.ts";
import { RegisterMapping } from "../modbus/register-mapping.ts";
import { parseSerialAddress } from "../modbus/serial-address.ts";
import { isNestedTooDeep } from "./nesting.ts";
import { PROTOCOLS, TRANSPORTS } from "./rows.ts";

/** 0 and 1 are how the reference writes booleans. */
export const WireFlag = z.union([z.boolean(), z.literal([0, 1]).transform((bit) => bit === 1)]);

/** Lists and objects arrive as themselves or as JSON text; both are in the wild. */
export function jsonOr<T extends z.ZodType>(schema: T) {
  return z.preprocess((given, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    try {
      const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
      return isNestedTooDeep(value) ? refuse("is nested too deep") : value;
    } catch {
      return refuse("is not JSON");
    }
  }, schema);
}

/** Counted so that a client cannot make one poll a thousand requests. */
const MOST_MAPPINGS = 512;

const fields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2_000).nullable(),
  type: z.string().trim().min(1).max(60),
  protocol: z.enum(PROTOCOLS),
  address: z
    .string()
    .trim()
    .max(300)
    .nullable()
    .transform((text) => (text === "" ? null : text)),
  transport: z.enum(TRANSPORTS),
  slave_id: z.int().min(1).max(247).nullable(),
  polling_interval_ms: z.int().min(100).max(60_000),
  register_mappings: jsonOr(z.array(RegisterMapping).max(MOST_MAPPINGS)).refine(uniqueNames, {
    message: "has two mappings of the same name",
  }),
  write_only: WireFlag,
  enabled: WireFlag,
  safety: jsonOr(z.custom<JsonObject>(isJsonObject, "must be an object").nullable()),
};

/** What may be said about equipment, as the REST calls take it. Anything left out keeps its value, or its default. */
export const EquipmentChange = z.object(fields).partial();
export const NewEquipment = EquipmentChange.required({ name: true });
export type EquipmentChange = z.infer<typeof EquipmentChange>;
export type NewEquipment = z.infer<typeof NewEquipment>;

/** What only the whole row shows: an address must be one of the transport it is for. Undefined: all is well. */
export function addressProblem({
  protocol,
  address,
  transport,
}: {
  readonly protocol: string;
  readonly address: string | null;
  readonly transport: string;
}): string | undefined {
  if (protocol !== "modbus" || address === null) return undefined;
  if (transport === "rtu") {
    return parseSerialAddress(address)
      ? undefined
      : "address must be a serial line such as /dev/ttyUSB0 or COM3@19200:8E1";
  }
  return parseGatewayAddress(address) ? undefined : "address must be host:port, [v6]:port or a host";
}

/** History and thresholds refer to a metric by its name, so two of one device cannot share one. */
function uniqueNames(mappings: readonly RegisterMapping[]): boolean {
  const names = mappings.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return new Set(names).size === names.length;
}
