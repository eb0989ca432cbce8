import type { Cancel } from "@steading/kernel";
import type { Graph } from "../graph/graph.ts";
import type { Subject } from "../instance/subject.ts";

/** Resources remembered as read. The one read longest ago is forgotten first; who still wants it reads it again. */
const MAX_NOTED = 10_000;

/** Remembers which resources somebody has read, so that only changes to those are told. */
export interface ReadInterest {
  /** `property` undefined: everything about the subject. */
  note(uri: string, subject: Subject, property: string | undefined): void;
  onUpdated(listener: (uri: string) => void): Cancel;
  onStructure(listener: () => void): Cancel;
}

interface Noted {
  readonly subject: Subject;
  readonly property: string | undefined;
}

export function createReadInterest({ graph }: { graph: () => Graph }): ReadInterest {
  const noted = new Map<string, Noted>();
  const bySubject = new Map<Subject, Set<string>>();
  const updated = new Set<(uri: string) => void>();
  const structure = new Set<() => void>();
  let bound: { readonly graph: Graph; readonly hearsChanges: boolean; readonly cancel: Cancel } | undefined;

  function forget(uri: string): void {
    const known = noted.get(uri);
    if (known === undefined) return;
    noted.delete(uri);
    const uris = bySubject.get(known.subject);
    uris?.delete(uri);
    if (uris?.size === 0) bySubject.delete(known.subject);
  }

  function tellAbout(subject: Subject, property: string | undefined): void {
    const uris = bySubject.get(subject);
    if (uris === undefined) return;
    for (const uri of [...uris]) {
      const wanted = noted.get(uri)?.property;
      const concerns =
        property === undefined || wanted === undefined || wanted === property || property.startsWith(`${wanted}@`);
      if (concerns) for (const listener of [...updated]) listener(uri);
    }
  }

  /**
   * Listeners hang on the graph only while they are of use: a graph that nobody listens to as a whole writes faster. A
   * replaced root may have brought another graph.
   */
  function bind(): void {
    const needsChanges = updated.size > 0 && noted.size > 0;
    const live = needsChanges || structure.size > 0 ? graph() : undefined;
    if (bound?.graph === live && bound?.hearsChanges === needsChanges) return;
    bound?.cancel();
    bound =
      live === undefined
        ? undefined
        : { graph: live, hearsChanges: needsChanges, cancel: listenTo(live, needsChanges) };
  }

  function listenTo(live: Graph, needsChanges: boolean): Cancel {
    const cancels = [
      live.onLifecycle(({ subject, contextAttach, contextDetach }) => {
        if (!contextAttach && !contextDetach) return;
        for (const listener of [...structure]) listener();
        if (!contextDetach) return;
        tellAbout(subject, undefined);
        for (const uri of [...(bySubject.get(subject) ?? [])]) forget(uri);
      }),
    ];
    if (needsChanges) cancels.push(live.onChange(({ subject, property }) => tellAbout(subject, property)));
    return () => {
      for (const cancel of cancels) cancel();
    };
  }

  function join<T>(listeners: Set<T>, listener: T): Cancel {
    listeners.add(listener);
    bind();
    return () => {
      listeners.delete(listener);
      bind();
    };
  }

  return {
    note(uri, subject, property) {
      forget(uri);
      if (noted.size >= MAX_NOTED) forget(noted.keys().next().value ?? "");
      noted.set(uri, { subject, property });
      const uris = bySubject.get(subject) ?? new Set();
      bySubject.set(subject, uris.add(uri));
      bind();
    },
    onUpdated: (listener) => join(updated, (uri: string) => listener(uri)),
    onStructure: (listener) => join(structure, () => listener()),
  };
}
