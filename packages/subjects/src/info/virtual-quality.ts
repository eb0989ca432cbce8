import type { PropertyInfo, SubjectInfo } from "./subject-info.ts";

/** `temperature@quality` of a source-bound property: worked out when read, because age alone can change it. */
export class VirtualQuality implements PropertyInfo {
  readonly #of: PropertyInfo;
  readonly kind = "derived";
  readonly shape = undefined;
  readonly valueType = { kind: "string" } as const;
  readonly type = "string";
  readonly format = undefined;
  readonly facets = Object.freeze({});
  readonly isWritable = false;
  readonly isDynamic = false;
  readonly isInline = false;
  readonly isAttribute = true;
  readonly quality = "good";
  readonly changedAt = undefined;
  readonly receivedAt = undefined;
  readonly source = undefined;

  constructor(of: PropertyInfo) {
    this.#of = of;
  }

  get subject(): SubjectInfo {
    return this.#of.subject;
  }
  get name(): string {
    return `${this.#of.name}@quality`;
  }
  get value(): unknown {
    return this.#of.quality;
  }
  attributes(): Iterable<PropertyInfo> {
    return [];
  }
  attribute(): undefined {
    return undefined;
  }
}
