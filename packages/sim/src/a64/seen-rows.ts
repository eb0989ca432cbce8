/** What the client takes from a row. A field that the row lacks is undefined here, and a fault of the hub's. */
export interface SeenEquipment {
  readonly id: unknown;
  readonly name: unknown;
  readonly type: unknown;
  readonly zone: unknown;
  readonly status: unknown;
  readonly lastReading: unknown;
}

export interface SeenAlert {
  readonly id: unknown;
  readonly severity: unknown;
  readonly message: unknown;
  readonly acknowledged: unknown;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list, or the list under the first of these names that is there; otherwise nothing, without a complaint. */
export function rowsIn(value: unknown, ...names: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  const name = names.find((each) => Object.hasOwn(value, each));
  const found = name === undefined ? undefined : value[name];
  return Array.isArray(found) ? found : [];
}

export function seenEquipment(row: unknown): SeenEquipment {
  const fields = isObject(row) ? row : {};
  const { id, equipment_id, name, type, zone, status, last_reading, lastReading } = fields;
  return { id: id ?? equipment_id, name, type, zone, status, lastReading: last_reading ?? lastReading };
}

export function seenAlert(row: unknown): SeenAlert {
  const { id, severity, message, acknowledged } = isObject(row) ? row : {};
  return { id, severity, message, acknowledged };
}
