import type { JsonObject } from "@steading/kernel";
import type { PropertyRole } from "../define/facets.ts";
import { subjectError } from "../subject-error.ts";
import type { DataDefinition, DataProperty } from "./data-definition.ts";

/** One entry of a Modbus-like register map. */
export interface RegisterEntry {
  readonly name: string;
  readonly address: number;
  readonly table?: "coil" | "discrete" | "holding" | "input";
  readonly type: "bit" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "f32" | "f64" | "text";
  /** Registers of a text, or where the words of one value are swapped. */
  readonly length?: number;
  readonly wordOrder?: "big" | "little";
  /** Which bit of the register. */
  readonly bit?: number;
  /** The value is `raw * scale + offset`. */
  readonly scale?: number;
  readonly offset?: number;
  /** Raw values that mean "no value". */
  readonly sentinels?: readonly number[];
  /** Names of raw values. */
  readonly names?: Readonly<Record<string, string>>;
  readonly unit?: string;
  readonly writable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly title?: string;
  readonly description?: string;
  readonly cumulative?: boolean;
  readonly role?: PropertyRole;
  readonly maxAgeMs?: number;
}

export interface RegisterMap {
  readonly name: string;
  readonly description?: string;
  readonly interfaces?: readonly string[];
  readonly registers: readonly RegisterEntry[];
}

const MAX_REGISTERS = 4_000;
const READ_ONLY_TABLES = ["discrete", "input"];

/** A register-map profile as a definition: one property per entry, its address kept as `@source`. */
export function fromRegisterMap({ name, description, interfaces, registers }: RegisterMap): DataDefinition {
  if (registers.length > MAX_REGISTERS) throw wrong(name, `has more than ${MAX_REGISTERS} entries`);
  const properties: Record<string, DataProperty> = {};
  for (const entry of registers) {
    if (Object.hasOwn(properties, entry.name)) throw wrong(name, `has two entries called ${entry.name}`);
    Object.defineProperty(properties, entry.name, { value: propertyOf(name, entry), enumerable: true });
  }
  return {
    name,
    properties,
    ...(description === undefined ? {} : { description }),
    ...(interfaces === undefined ? {} : { interfaces }),
  };
}

function wrong(name: string, what: string): Error {
  return subjectError("DEFINITION_ERROR", `The register map ${name} ${what}.`);
}

function propertyOf(map: string, entry: RegisterEntry): DataProperty {
  const { address, bit, table = "holding" } = entry;
  if (!Number.isInteger(address) || address < 0 || address > 0xffff)
    throw wrong(map, `has an address out of range at ${entry.name}`);
  if (bit !== undefined && (!Number.isInteger(bit) || bit < 0 || bit > 15))
    throw wrong(map, `has a bit out of range at ${entry.name}`);
  const {
    name: _name,
    address: _address,
    type: _type,
    length,
    wordOrder,
    scale,
    offset,
    sentinels,
    names,
    table: _table,
    bit: _bit,
    ...facets
  } = entry;
  const source: JsonObject = {
    table,
    address,
    type: entry.type,
    ...defined({ length, wordOrder, bit, scale, offset }),
    ...(sentinels === undefined ? {} : { sentinels }),
    ...(names === undefined ? {} : { names }),
  };
  return {
    ...facets,
    ...(names === undefined ? typeOf(entry) : { enum: Object.values(names) }),
    writable: facets.writable === true && !READ_ONLY_TABLES.includes(table),
    source,
  };
}

/** From the map alone: a scaled integer is a number with decimals. */
function typeOf({ type, table, bit, scale = 1, offset = 0 }: RegisterEntry): Pick<DataProperty, "type" | "bits"> {
  if (type === "bit" || bit !== undefined || table === "coil" || table === "discrete") return { type: "boolean" };
  if (type === "text") return { type: "string" };
  if (type === "f32" || type === "f64" || !Number.isInteger(scale) || !Number.isInteger(offset))
    return { type: "number" };
  return { type: "integer", bits: Number(type.slice(1)) };
}

function defined(fields: Readonly<Record<string, string | number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
