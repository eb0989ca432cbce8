import type { Graph } from "../graph/graph.ts";
import { nodeOf } from "../instance/held.ts";
import { setId } from "../instance/subject-id.ts";
import type { Subject } from "../instance/subject.ts";
import type { DataProperty, DataSubject } from "./data-definition.ts";
import { ABOUT, defineFromData, propertyFrom, setInvoker, TITLE } from "./define-from-data.ts";

/** Makes a subject from data, ready to be attached. */
export function createFromData(data: DataSubject): Subject {
  const subject = defineFromData(data).create() as Subject;
  setId(subject, data.id);
  fill(subject, data);
  return subject;
}

function fill(subject: Subject, { title, about, values = {}, properties, invoke }: DataSubject): void {
  subject.$set(TITLE, title ?? null);
  subject.$set(ABOUT, about ?? null);
  for (const [name, { source }] of Object.entries(properties))
    if (source !== undefined) subject.$set(`${name}@source`, source);
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== undefined) subject.$set(name, value);
  if (invoke !== undefined) setInvoker(subject, invoke);
}

/**
 * Puts a discovered thing into the graph. The same id again is the same subject: its facets are brought up to date in
 * place, properties that came are added, and ones that are gone are hidden.
 */
export function discover(graph: Graph, parentPath: string, key: string | number, data: DataSubject): Subject {
  const known = graph.registry.byId(data.id);
  if (known === undefined) {
    const subject = createFromData(data);
    graph.attach(parentPath, key, subject);
    return subject;
  }
  graph.batch(() => {
    update(graph, known, data);
    fill(known, data);
  });
  return known;
}

function update(graph: Graph, subject: Subject, { properties }: DataSubject): void {
  const node = nodeOf(subject);
  for (const [name, property] of Object.entries(properties)) {
    const at = node.layout.index.get(name);
    if (at === undefined) {
      graph.registry.addProperty(subject, name, propertyFrom(property));
      if (property.source !== undefined)
        graph.registry.addAttribute(subject, name, "source", { value: property.source });
    } else renew(graph, subject, name, property);
  }
  for (const i of [...node.layout.listed]) {
    const slot = node.layout.slot(i);
    const isOurs = slot.name === TITLE || slot.name === ABOUT;
    if (
      !isOurs &&
      slot.shape === undefined &&
      slot.get === undefined &&
      !Object.hasOwn(properties, slot.name) &&
      slot.facets.exposed !== false
    )
      graph.registry.setFacets(subject, slot.name, { ...slot.facets, exposed: false });
  }
}

function renew(graph: Graph, subject: Subject, name: string, property: DataProperty): void {
  const present = graph.registry.property(subject, name);
  const fresh = propertyFrom(property);
  // Another kind of value would break those who listen; a device that changes it is another device.
  if (present.valueType?.kind !== fresh.type.kind) return;
  if (JSON.stringify(fresh.facets) !== JSON.stringify(present.facets))
    graph.registry.setFacets(subject, name, fresh.facets);
}
