import type { Json, JsonObject } from "@steading/kernel";
import type { PropertyRole } from "../define/facets.ts";

/** What a type can be made of when it comes as data: from a register map, a discovery message, a Thing Description. */
export interface DataDefinition {
  /** Full and dotted. */
  readonly name: string;
  readonly description?: string;
  /** Full names of capabilities; those that nobody defined are made up on the spot. */
  readonly interfaces?: readonly string[];
  readonly properties: Readonly<Record<string, DataProperty>>;
  readonly methods?: Readonly<Record<string, DataMethod>>;
}

export type DataType =
  | "number"
  | "integer"
  | "string"
  | "boolean"
  | "date-time"
  | "date"
  | "time"
  | "duration"
  | "uuid"
  | "url"
  | "bytes"
  | "list"
  | "record"
  | "unknown";

export interface DataProperty {
  /** Never guessed from values. With `enum` it is left out. */
  readonly type?: DataType;
  readonly enum?: readonly string[];
  /** In any of the spellings that `unitFrom` knows. */
  readonly unit?: string;
  readonly writable?: boolean;
  readonly nullable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly role?: PropertyRole;
  readonly title?: string;
  readonly description?: string;
  readonly cumulative?: boolean;
  readonly discrete?: boolean;
  readonly position?: number;
  readonly maxAgeMs?: number;
  readonly bits?: number;
  /** Where it comes from (address, topic, form); kept as the attribute `source`. */
  readonly source?: Json;
}

export interface DataMethod {
  readonly kind?: "query" | "operation";
  readonly title?: string;
  readonly description?: string;
  readonly requiresConfirmation?: boolean;
  /** JSON Schema of the arguments. */
  readonly input?: JsonObject;
  readonly output?: JsonObject;
  readonly source?: Json;
}

/** A subject as data: its type, who it is, and what it holds. */
export interface DataSubject extends DataDefinition {
  /** What makes it the same thing next time: a serial number, an address, a URN. */
  readonly id: string;
  readonly title?: string;
  readonly about?: string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Runs the methods; without it they are refused. */
  readonly invoke?: Invoke;
}

export type Invoke = (method: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown;
