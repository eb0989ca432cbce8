import type { Cancel, Clock, Log } from "@steading/kernel";
import type { Change } from "../graph/change.ts";
import type { Engine } from "../graph/engine.ts";
import { SlotInfo } from "../info/node-info.ts";
import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import type { Subject } from "../instance/subject.ts";
import { locate } from "../paths/locate.ts";
import type { PathSpace } from "../paths/path-space.ts";
import { joinPath } from "../paths/path-text.ts";
import { pathError } from "../graph/path-error.ts";
import { subjectError } from "../subject-error.ts";
import { showDiagnostics, SourceStatus } from "./diagnostics.ts";
import { createOwnership, type Ownership } from "./ownership.ts";
import { createSourceHost, type SourceHost } from "./source-host.ts";
import type { BranchSync, Source, SourceDiagnostics, SourceHandle, SourceOptions } from "./source.ts";

const STATUS_FOLDER = "/system/sources";

export interface SourcesDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly space: () => PathSpace;
  readonly attach: (parentPath: string, key: string | number, subject: Subject) => void;
  readonly detach: (subject: Subject) => void;
  readonly ensureFolder: (path: string) => Node;
}

/** All sources of a graph: who owns what, and how each is doing. */
export interface Sources {
  readonly ownership: Ownership;
  readonly handles: ReadonlyMap<string, SourceHandle>;
  add(name: string, source: Source, options: SourceOptions): SourceHandle;
  hostOf(node: Node, slot: number): SourceHost | undefined;
  syncState(branch: string): BranchSync;
  waitForSync(branch: string, signal?: AbortSignal): Promise<BranchSync>;
  close(): Promise<void>;
}

export function createSources(deps: SourcesDeps): Sources {
  const { engine, clock, log, space } = deps;
  const ownership = createOwnership(log, (node) => engine.refreshPulse(node));
  const hosts = new Map<string, SourceHost>();
  const byIndex = new Map<number, SourceHost>();
  const waiting = new Set<() => void>();
  let stopListening: Cancel | undefined;

  function hostOf(node: Node, slot: number): SourceHost | undefined {
    const index = ownership.ownerOf(node, slot);
    return index === 0 ? undefined : byIndex.get(index);
  }

  /** What an owner sent itself is never sent back: decided by origin, not by value. */
  function route(change: Change, isDiscrete: boolean): void {
    const node = nodeOf(change.subject);
    const slot = node.layout.index.get(change.property);
    const host = slot === undefined ? undefined : hostOf(node, slot);
    if (host === undefined || host.writes !== "mirror") return;
    const { origin } = change;
    if (origin !== "local" && ("from" in origin ? origin.from : origin.confirmedBy) === host.name) return;
    host.offer(change, isDiscrete);
  }

  function within(mount: string, path: string): string {
    return path.startsWith("/")
      ? path
      : path === "" || path === "."
        ? mount
        : joinPath(mount, path.replace(/^\.\//, ""));
  }

  function placeFor(mount: string): (path: string) => { readonly node: Node; readonly slot: number } {
    return (path) => {
      const full = within(mount, path);
      const found = locate(space(), full);
      if (found.kind !== "property") throw pathError(full, found);
      if (!SlotInfo.isOne(found.property))
        throw subjectError("PROPERTY_NOT_WRITABLE", `${full} cannot be owned by a source.`);
      return SlotInfo.place(found.property);
    };
  }

  function isBelow(path: string, mount: string): boolean {
    return mount === "/" || path === mount || path.startsWith(`${mount}/`) || path.startsWith(`${mount}[`);
  }

  function relevant(branch: string): SourceHost[] {
    return [...hosts.values()].filter(({ mount }) => isBelow(branch, mount) || isBelow(mount, branch));
  }

  function syncState(branch: string): BranchSync {
    const found = relevant(branch);
    if (found.some((host) => !host.hasDelivered)) return "incomplete";
    return found.every((host) => host.state === "synchronized") ? "synchronized" : "stale";
  }

  return {
    ownership,
    handles: hosts,
    hostOf,
    syncState,
    add(name, source, options) {
      if (name.length === 0 || hosts.has(name))
        throw subjectError("CONFLICT", `There is already a source called ${name}.`, { retryable: false });
      const mount = options.mount.startsWith("/") ? options.mount : `/${options.mount}`;
      deps.ensureFolder(mount);
      deps.ensureFolder(STATUS_FOLDER);
      const status = SourceStatus.create({ name, mount });
      const show = (diagnostics: SourceDiagnostics): void => {
        engine.delivery.batch(
          () => showDiagnostics(status, diagnostics),
          () => engine.time.renew(),
        );
        for (const wake of [...waiting]) wake();
      };
      const host = createSourceHost({
        name,
        source,
        options: { ...options, mount },
        engine,
        clock,
        log,
        ownership,
        place: placeFor(mount),
        attach(parentPath, key, subject) {
          const full = within(mount, parentPath);
          if (!isBelow(full, mount))
            throw subjectError("VALIDATION_FAILED", `The source ${name} may only attach below ${mount}.`);
          deps.attach(full, key, subject);
        },
        detach: deps.detach,
        changed: show,
      });
      hosts.set(name, host);
      byIndex.set(host.index, host);
      deps.attach(STATUS_FOLDER, name, status);
      show(host.diagnostics);
      if (host.writes === "mirror") stopListening ??= engine.delivery.addObserver({ change: route });
      return host;
    },
    async waitForSync(branch, signal) {
      for (;;) {
        const state = syncState(branch);
        if (state === "synchronized" || signal?.aborted === true) return state;
        if (relevant(branch).every((host) => host.state === "stopped" || host.state === "synchronized")) return state;
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            signal?.removeEventListener("abort", wake);
            resolve();
          };
          waiting.add(wake);
          signal?.addEventListener("abort", wake, { once: true });
        });
      }
    },
    async close() {
      await Promise.all([...hosts.values()].map((host) => host.stop()));
      stopListening?.();
      stopListening = undefined;
    },
  };
}
