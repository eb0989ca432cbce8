import { all } from "../paths/path-providers.ts";
import { canonicalPath } from "../paths/canonical-path.ts";
import { locate } from "../paths/locate.ts";
import { resolveRelative } from "../paths/relative.ts";
import { SlotInfo } from "../info/node-info.ts";
import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { createSources } from "../sources/create-sources.ts";
import { subjectError } from "../subject-error.ts";
import { createCaptures } from "./captures.ts";
import { createChangeStreams } from "./change-stream.ts";
import { createDynamic, type Dynamic } from "./dynamic.ts";
import { createRegistry } from "./create-registry.ts";
import { createView } from "./create-view.ts";
import { Engine } from "./engine.ts";
import { Folder } from "./folder.ts";
import type { Graph, GraphOptions } from "./graph.ts";
import { markQuality } from "./mark-quality.ts";
import { createInitialisers } from "./initialisers.ts";
import { createLiveReading } from "./live-reading.ts";
import { pathError } from "./path-error.ts";
import { attachAt, detachEverywhere, ensureFolder } from "./place-subject.ts";
import { createStructureStreams } from "./structure-stream.ts";
import { createTransactions } from "./transactions.ts";
import { writeOutside } from "./write-outside.ts";

/** Makes a graph with nothing but a root in it. */
export function createGraph(options: GraphOptions): Graph {
  const { clock, log } = options;
  let root: Node = nodeOf(options.root ?? Folder.create());
  const ownPaths = options.paths ?? all();

  const reading = createLiveReading({
    engine: () => engine,
    root: () => root,
    owner: (index) => sources.ownership.owner(index),
    pathOf: (node) => canonicalPath(view.space(), node),
    now: () => clock.now(),
  });
  const view = createView(reading, ownPaths);
  const structures = createStructureStreams({
    clock,
    revision: () => engine.pulse.revision,
    pathOf: (s) => view.pathOf(s),
  });
  const initialisers = createInitialisers({ reading, log });
  const graph = {} as Graph; // filled below; the engine only hands it on to subjects
  const engine: Engine = new Engine({
    clock,
    log,
    graph,
    reading,
    pathOf: (node) => canonicalPath(view.space(), node),
    initialise: (nodes) => initialisers.run(nodes),
    release: (nodes) => sources.ownership.releaseAll(nodes),
    structureEvent: (event) => structures.offer(event),
    failing: ({ node, slot }, isFailing) => markQuality(engine, dynamic, node, slot, isFailing),
  });
  const dynamic: Dynamic = createDynamic(engine, (node, slot) => sources.ownership.release(node, slot));
  const registry = createRegistry(engine, reading, dynamic);
  const sources = createSources({
    engine,
    clock,
    log,
    space: () => view.space(),
    attach: (parentPath, key, subject) => attachAt(view.space(), parentPath, key, subject),
    detach: (subject) => graph.detach(subject),
    ensureFolder: (path) => ensureFolder(view.space(), path),
  });
  const streams = createChangeStreams({ clock, engine });
  const outside = { engine, hostOf: sources.hostOf, pathOf: reading.pathOf, now: () => clock.now() };
  const transactions = createTransactions({ engine, clock, outside });
  const captures = createCaptures({ engine, reading, ownPaths, clock });

  function found(path: string): Node | null {
    const at = locate(view.space(), path);
    return at.kind === "subject" ? nodeOf(at.subject.subject) : null;
  }

  function propertyAt(path: string, provider = ownPaths): SlotInfo {
    const at = locate(view.space(provider), path);
    if (at.kind !== "property") throw pathError(path, at);
    if (!SlotInfo.isOne(at.property))
      throw subjectError("PROPERTY_NOT_WRITABLE", `${path} is worked out when it is read.`);
    return at.property;
  }

  // One by one, because the members of a view are getters and must stay so.
  const members: Graph = {
    ...view,
    clock,
    log,
    registry,
    services: new Map(),
    get root() {
      return root.subject;
    },
    get revision() {
      return engine.pulse.revision;
    },
    get structureRevision() {
      return engine.structureRevision;
    },
    replaceRoot(subject: Subject) {
      const next = nodeOf(subject);
      if (next === root) return;
      engine.lifecycle.check(subject);
      graph.batch(() => {
        const former = root;
        root = next;
        engine.lifecycle.attachRoot(next);
        engine.lifecycle.releaseRoot(former);
      });
    },
    attach: (parentPath, key, subject) => attachAt(view.space(), parentPath, key, subject),
    detach(target) {
      const node = typeof target === "string" ? found(target) : nodeOf(target);
      if (node === null || node.core !== engine) return false;
      if (node === root) throw subjectError("VALIDATION_FAILED", "The root cannot be detached; replace it.");
      graph.batch(() => detachEverywhere(node));
      return true;
    },
    find: (path) => found(path)?.subject ?? null,
    get(path) {
      const at = locate(view.space(), path);
      if (at.kind === "property" || at.kind === "collection") return at.property.value;
      if (at.kind === "subject") return at.subject.subject;
      throw pathError(path, at);
    },
    async set(path, value, given = {}) {
      return writeOutside(outside, propertyAt(path, given.provider), value, given);
    },
    write: (property, value, given) => writeOutside(outside, property, value, given),
    resolve: (path, provider, given) => resolveRelative(view.space(provider), path, given?.from),
    batch: (work) => engine.delivery.batch(work, () => engine.time.renew()),
    transaction: (given, work) => transactions.run(given, work),
    onChange: (listener) => engine.delivery.addObserver({ change: (change) => listener(change) }),
    onLifecycle: (listener) => engine.delivery.onLifecycle(listener),
    changes: (given) => streams.open(given),
    structure: (given) => structures.open(given),
    extend: (place, extension) => engine.pipeline.extend(place, extension),
    addInitialiser: (initialise) => initialisers.add(initialise),
    recompute(subject, property) {
      const node = nodeOf(subject);
      const slot = node.layout.index.get(property);
      const computation = slot === undefined ? undefined : node.extra?.computations?.[slot];
      if (computation === undefined)
        throw subjectError("PATH_NOT_FOUND", `${subject.$type} has no derived property ${property} in this graph.`);
      engine.derived.invalidate(computation, engine.time.now());
      engine.flush();
    },
    addSource: (name, source, given) => sources.add(name, source, given),
    sources: sources.handles,
    syncState: (branch) => sources.syncState(branch),
    waitForSync: (branch, signal) => sources.waitForSync(branch, signal),
    capture: () => captures.take(),
    async close() {
      await sources.close();
      streams.close();
      structures.close();
    },
  };
  Object.defineProperties(graph, Object.getOwnPropertyDescriptors(members));
  engine.lifecycle.check(root.subject);
  engine.lifecycle.attachRoot(root);
  engine.flush();
  return graph;
}
