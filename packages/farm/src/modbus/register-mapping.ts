import * as z from "zod";
import { isCommandCoil } from "./command-coils.ts";
import type { ReadFunction } from "./modbus-request.ts";

const TYPES = {
  coil: 1,
  discrete: 2,
  discreteInput: 2,
  holding: 3,
  holdingRegister: 3,
  input: 4,
  inputRegister: 4,
} as const satisfies Record<string, ReadFunction>;

const DATA_TYPES = [
  "uint16",
  "int16",
  "uint32",
  "int32",
  "float32",
  "bool",
  "boolean",
  "uint64",
  "int64",
  "float64",
  "bits",
  "string",
] as const;
export type DataType = (typeof DATA_TYPES)[number];

const wholeAddress = z.int().min(0).max(65_535);
/** Decimal text or a number, zero-based; 4xxxx notation has more digits than there are addresses, and is refused by that. */
const address = z.union([
  wholeAddress,
  z
    .string()
    .regex(/^\d{1,5}$/, "must be a number from 0 to 65535")
    .transform(Number)
    .pipe(wholeAddress),
]);
const order = z.enum(["big", "little"]);
const shortText = z.string().max(120);

/** One element of `register_mappings`, as the contract writes it. Keys it does not know are kept for those who do. */
export const RegisterMapping = z
  .looseObject({
    name: shortText.optional(),
    label: shortText.optional(),
    register: address.optional(),
    address: address.optional(),
    type: z.enum(Object.keys(TYPES) as [keyof typeof TYPES, ...(keyof typeof TYPES)[]]).optional(),
    functionCode: z.int().min(1).max(4).optional(),
    quantity: z.int().min(1).max(125).optional(),
    dataType: z.enum(DATA_TYPES).optional(),
    wordOrder: order.optional(),
    byteOrder: order.optional(),
    scale: z.number().optional(),
    offset: z.number().optional(),
    unit: z.string().max(40).optional(),
    access: z.enum(["read", "write", "readwrite"]).optional(),
    enabled: z.boolean().optional(),
    nullValues: z.array(z.number()).max(16).optional(),
    interlockWith: z.int().min(0).max(65_535).optional(),
    /** Ours: beyond these a reading raises an alert, which clears when it comes back. */
    alarmHigh: z.number().optional(),
    alarmLow: z.number().optional(),
    alarmSeverity: z.enum(["info", "warning", "critical"]).optional(),
  })
  .refine((given) => given.register !== undefined || given.address !== undefined, {
    message: "needs a register or an address",
  })
  .refine((given) => !isSwitched(given) || !isCommandCoil(placeOf(given), { pulses: countsTime(given) }), {
    message: "is a command to the board, not a channel (farm contract 4.6); leave it out or make it read only",
  });
export type RegisterMapping = z.infer<typeof RegisterMapping>;

/** A mapping with everything decided: what the driver works with. */
export interface Metric {
  readonly name: string;
  readonly label: string | undefined;
  readonly fc: ReadFunction;
  readonly address: number;
  readonly quantity: number;
  readonly dataType: DataType;
  readonly wordOrder: "big" | "little";
  readonly byteOrder: "big" | "little";
  readonly scale: number;
  readonly offset: number;
  readonly unit: string;
  readonly enabled: boolean;
  readonly access: "read" | "write" | "readwrite";
  readonly nullValues: readonly number[];
  readonly alarm: {
    readonly high: number | undefined;
    readonly low: number | undefined;
    readonly severity: "info" | "warning" | "critical";
  };
  /** A relay channel: a coil that can be read and written. Its number is the coil's address. */
  readonly isChannel: boolean;
}

/** Written out: the schema asks for it, so it cannot be made from the schema. */
interface Place {
  readonly address?: number | undefined;
  readonly register?: number | undefined;
  readonly functionCode?: number | undefined;
  readonly type?: keyof typeof TYPES | undefined;
  readonly access?: string | undefined;
}

function placeOf({ address: place, register }: Place): number {
  return place ?? register ?? 0;
}

function functionOf({ functionCode, type }: Place): ReadFunction {
  // The function code wins over the type; its schema bounds it to the four reads.
  return (functionCode ?? TYPES[type ?? "holding"]) as ReadFunction;
}

function isSwitched(mapping: Place): boolean {
  return functionOf(mapping) === 1 && mapping.access === "readwrite";
}

/** Does the board count the time of this channel by itself? */
export function countsTime(mapping: Readonly<Record<string, unknown>>): boolean {
  return mapping["onBoardPulse"] === true;
}

export function toMetric(mapping: RegisterMapping): Metric {
  const place = placeOf(mapping);
  const fc = functionOf(mapping);
  const { dataType = "uint16", access = "read" } = mapping;
  return {
    name: mapping.name ?? `${fc === 1 ? "coil" : fc === 2 ? "input" : "register"}_${place}`,
    label: mapping.label === "" ? undefined : mapping.label,
    fc,
    address: place,
    quantity: fc <= 2 ? 1 : (mapping.quantity ?? wordsOf(dataType)),
    dataType,
    wordOrder: mapping.wordOrder ?? "big",
    byteOrder: mapping.byteOrder ?? "big",
    scale: mapping.scale ?? 1,
    offset: mapping.offset ?? 0,
    unit: mapping.unit ?? "",
    enabled: mapping.enabled ?? true,
    access,
    nullValues: mapping.nullValues ?? [],
    alarm: { high: mapping.alarmHigh, low: mapping.alarmLow, severity: mapping.alarmSeverity ?? "warning" },
    // Rows of an older hub may have what is not taken any more.
    isChannel: isSwitched(mapping) && !isCommandCoil(place, { pulses: countsTime(mapping) }),
  };
}

function wordsOf(dataType: DataType): number {
  if (dataType.endsWith("64")) return 4;
  return dataType.endsWith("32") ? 2 : 1;
}
