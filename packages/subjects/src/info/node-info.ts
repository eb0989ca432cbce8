import { faceOfValue, jsonFace, type JsonFace } from "../define/json-face.ts";
import type { Facets } from "../define/facets.ts";
import type { JsonTypeName, ValueType } from "../define/value-type.ts";
import { describeMethod, isSlotWritable } from "../define/type-definition.ts";
import type { CompiledMethod, Slot } from "../instance/layout.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { idOf } from "../instance/subject-id.ts";
import type { Quality } from "./quality.ts";
import { qualityOf } from "./quality-of.ts";
import type { Reading } from "./reading.ts";
import { changedAt, ownerIndex, receivedAt } from "./standing.ts";
import type { MethodInfo, PropertyInfo, PropertyKind, SubjectInfo } from "./subject-info.ts";
import { VirtualQuality } from "./virtual-quality.ts";

/** The registry's record of a subject. Made on demand: it holds no facts of its own. */
export class NodeInfo implements SubjectInfo {
  readonly #reading: Reading;
  readonly #node: Node;

  constructor(reading: Reading, node: Node) {
    this.#reading = reading;
    this.#node = node;
  }

  get subject(): Subject {
    return this.#node.subject;
  }
  get id(): string {
    return idOf(this.#node);
  }
  get type(): string {
    return this.#node.layout.type.name;
  }
  get interfaces(): readonly string[] {
    return this.#node.layout.type.interfaces;
  }
  get path(): string | null {
    return this.#reading.pathOf(this.#node);
  }
  get title(): string | undefined {
    return said(this.#reading, this.#node.layout.type.title, this.#node);
  }
  get icon(): string | undefined {
    return said(this.#reading, this.#node.layout.type.icon, this.#node);
  }
  get iconColor(): string | undefined {
    return said(this.#reading, this.#node.layout.type.iconColor, this.#node);
  }
  get description(): string | undefined {
    return this.#node.layout.type.description;
  }
  *properties(): Iterable<PropertyInfo> {
    for (const i of this.#reading.layout(this.#node).listed) yield new SlotInfo(this.#reading, this.#node, i);
  }
  property(name: string): PropertyInfo | undefined {
    const i = this.#reading.layout(this.#node).index.get(name);
    if (i !== undefined) return new SlotInfo(this.#reading, this.#node, i);
    const at = name.lastIndexOf("@");
    return at > 0 ? this.property(name.slice(0, at))?.attribute(name.slice(at + 1)) : undefined;
  }
  *methods(): Iterable<MethodInfo> {
    for (const method of this.#node.layout.type.methods.values()) yield methodInfo(this.#reading, this.#node, method);
  }
  method(name: string): MethodInfo | undefined {
    const method = this.#node.layout.type.methods.get(name);
    return method === undefined ? undefined : methodInfo(this.#reading, this.#node, method);
  }
}

/** A title is the author's code: when it throws, there is no title, and nothing else breaks. */
function said(
  reading: Reading,
  say: ((subject: Subject) => string | undefined) | undefined,
  node: Node,
): string | undefined {
  if (say === undefined) return undefined;
  try {
    const text = reading.say(() => say(node.subject));
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function methodInfo(reading: Reading, node: Node, { name, run, details }: CompiledMethod): MethodInfo {
  const enabled = reading.layout(node).index.get(`${name}@isEnabled`);
  return {
    ...describeMethod(name, details),
    ...(enabled === undefined ? {} : { isEnabled: reading.value(node, enabled) !== false }),
    // Arguments were read with the method's own schema by whoever calls.
    invoke: (args, context) => run(node.subject as never, args as never, context),
  };
}

/** The registry's record of one property. */
export class SlotInfo implements PropertyInfo {
  readonly #reading: Reading;
  readonly #node: Node;
  readonly #i: number;

  constructor(reading: Reading, node: Node, i: number) {
    this.#reading = reading;
    this.#node = node;
    this.#i = i;
  }

  /** For the graph's own code. */
  static place(info: SlotInfo): { readonly node: Node; readonly slot: number } {
    return { node: info.#node, slot: info.#i };
  }
  static isOne(value: unknown): value is SlotInfo {
    return typeof value === "object" && value !== null && #node in value;
  }

  get #slot(): Slot {
    return this.#reading.layout(this.#node).slot(this.#i);
  }
  get subject(): SubjectInfo {
    return new NodeInfo(this.#reading, this.#node);
  }
  get name(): string {
    return this.#slot.name;
  }
  get kind(): PropertyKind {
    return this.#slot.kind;
  }
  get shape(): "one" | "list" | "map" | undefined {
    return this.#slot.shape;
  }
  get facets(): Readonly<Facets> {
    return this.#slot.facets;
  }
  get value(): unknown {
    return this.#reading.value(this.#node, this.#i);
  }
  get valueType(): ValueType | undefined {
    return this.#slot.type;
  }
  get type(): JsonTypeName {
    return this.#face().type;
  }
  get format(): string | undefined {
    return this.#face().format;
  }
  get isWritable(): boolean {
    return isSlotWritable(this.#slot);
  }
  get isDynamic(): boolean {
    return this.#slot.dynamic;
  }
  get isInline(): boolean {
    return this.#slot.inline;
  }
  get isAttribute(): boolean {
    return this.#slot.attributeOf !== undefined;
  }
  get quality(): Quality | "error" {
    return qualityOf(this.#reading, this.#node, this.#i);
  }
  get changedAt(): number | undefined {
    return changedAt(this.#reading.standing(this.#node), this.#i);
  }
  get receivedAt(): number | undefined {
    return receivedAt(this.#reading.standing(this.#node), this.#i);
  }
  get source(): string | undefined {
    return this.#reading.owner(ownerIndex(this.#reading.standing(this.#node), this.#i))?.name;
  }
  *attributes(): Iterable<PropertyInfo> {
    const layout = this.#reading.layout(this.#node);
    for (const i of layout.attributes.get(this.name) ?? []) yield new SlotInfo(this.#reading, this.#node, i);
  }
  attribute(name: string): PropertyInfo | undefined {
    const i = this.#reading.layout(this.#node).index.get(`${this.name}@${name}`);
    if (i !== undefined) return new SlotInfo(this.#reading, this.#node, i);
    // A source-bound value always has a quality, whether or not somebody added it as an attribute.
    return name === "quality" && this.source !== undefined ? new VirtualQuality(this) : undefined;
  }
  #face(): JsonFace {
    const { type, shape } = this.#slot;
    return type === undefined && shape === undefined ? faceOfValue(this.value) : jsonFace(type);
  }
}
