import * as z from "zod";
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

export function toMetric(mapping: RegisterMapping): Metric {
  const place = mapping.address ?? mapping.register ?? 0;
  // The function code wins over the type; its schema bounds it to the four reads.
  const fc = (mapping.functionCode ?? TYPES[mapping.type ?? "holding"]) as ReadFunction;
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
    isChannel: fc === 1 && access === "readwrite",
  };
}

function wordsOf(dataType: DataType): number {
  if (dataType.endsWith("64")) return 4;
  return dataType.endsWith("32") ? 2 : 1;
}
