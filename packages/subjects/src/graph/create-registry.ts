import { NodeInfo, SlotInfo } from "../info/node-info.ts";
import type { TypeEntry, TypeProvider } from "../info/providers.ts";
import type { GraphReading } from "../info/reading.ts";
import { nodeOf } from "../instance/held.ts";
import { idOf, setId } from "../instance/subject-id.ts";
import type { Subject } from "../instance/subject.ts";
import { subjectError } from "../subject-error.ts";
import type { Dynamic } from "./dynamic.ts";
import type { Engine } from "./engine.ts";
import { countParents, eachParent } from "./parents.ts";
import type { AttributeSpec, ParentEntry, PropertyHandle, Registry } from "./registry.ts";

export function createRegistry(engine: Engine, reading: GraphReading, dynamic: Dynamic): Registry {
  const providers: TypeProvider[] = [];

  function handle(subject: Subject, slot: number): PropertyHandle {
    const info = new SlotInfo(reading, nodeOf(subject), slot);
    return Object.defineProperty(info, "addAttribute", {
      value: (name: string, spec: AttributeSpec) => addAttribute(subject, info.name, name, spec),
    }) as SlotInfo & PropertyHandle;
  }

  function addAttribute(subject: Subject, owner: string, name: string, spec: AttributeSpec): PropertyHandle {
    return handle(subject, dynamic.addAttribute(nodeOf(subject), owner, name, spec));
  }

  function namesOf(name: string): readonly Subject[] {
    return engine.index.bucketsOf(name).flatMap(({ nodes }) => nodes.map((node) => node.subject));
  }

  function* builtIn(): Iterable<TypeEntry> {
    for (const { type } of engine.index.buckets.values()) {
      yield { name: type.name, ...described(type.description), isInterface: false, definition: type.definition };
      for (const one of type.interfaceDefinitions) {
        yield { name: one.name, ...described(one.description), isInterface: true, definition: one };
      }
    }
  }

  function types(): readonly TypeEntry[] {
    const byName = new Map<string, TypeEntry>();
    for (const provider of [{ types: builtIn }, ...providers])
      for (const entry of provider.types()) if (!byName.has(entry.name)) byName.set(entry.name, entry);
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  return {
    get count() {
      return engine.index.count;
    },
    get: (subject) => (reading.has(nodeOf(subject)) ? new NodeInfo(reading, nodeOf(subject)) : undefined),
    byId: (id) => engine.index.byId(id)?.subject,
    byInterface: namesOf,
    byType: namesOf,
    countOf: (name) => reading.countOfType(name),
    subjects: () => [...engine.index.buckets.values()].flatMap(({ nodes }) => nodes.map((node) => node.subject)),
    parents(subject) {
      const entries: ParentEntry[] = [];
      eachParent(nodeOf(subject), engine.lifecycle.showsCut, (parent, slot, key) => {
        entries.push({ subject: parent.subject, property: parent.layout.slot(slot).name, key });
      });
      return entries;
    },
    refCount: (subject) => countParents(nodeOf(subject)),
    properties: (subject) => [...new NodeInfo(reading, nodeOf(subject)).properties()],
    methods: (subject) => [...new NodeInfo(reading, nodeOf(subject)).methods()],
    property(subject, name) {
      const slot = nodeOf(subject).layout.index.get(name);
      if (slot === undefined) throw subjectError("PATH_NOT_FOUND", `${subject.$type} has no property ${name}.`);
      return handle(subject, slot);
    },
    addProperty: (subject, name, property, value) =>
      handle(subject, dynamic.addProperty(nodeOf(subject), name, property, value)),
    addDerived: (subject, name, get, options) =>
      handle(subject, dynamic.addDerived(nodeOf(subject), name, get, options)),
    addAttribute,
    setFacets: (subject, name, facets) => dynamic.setFacets(nodeOf(subject), name, facets),
    removeProperty: (subject, name) => dynamic.remove(nodeOf(subject), name),
    id: (subject) => idOf(nodeOf(subject)),
    setId,
    addTypeProvider: (provider) => void providers.push(provider),
    types,
    matchType(name) {
      const known = types().map((entry) => entry.name);
      if (known.includes(name)) return [name];
      return known.filter((each) => each.slice(each.lastIndexOf(".") + 1) === name);
    },
  };
}

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
