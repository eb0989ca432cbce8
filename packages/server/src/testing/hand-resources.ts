import { effectiveRole, roleAtLeast, type JsonObject, type ResourceProvider, type Role } from "@steading/kernel";

export interface HandResources extends ResourceProvider {
  put(uri: string, text: string, minimumRole?: Role): void;
  /** Tells that a document changed, and why. */
  touch(uri: string, meta?: JsonObject): void;
  drop(uri: string): void;
}

export function createHandResources(scheme = "test"): HandResources {
  const documents = new Map<string, { text: string; minimumRole: Role }>();
  const updated = new Set<(uri: string, meta?: JsonObject) => void>();
  const listed = new Set<() => void>();
  return {
    scheme,
    templates: [{ uriTemplate: `${scheme}://doc/{id}`, name: "doc" }],
    list(caller, { after, limit }) {
      return [...documents.entries()]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .filter(
          ([uri, { minimumRole }]) =>
            (after === undefined || uri > after) && roleAtLeast(effectiveRole(caller), minimumRole),
        )
        .slice(0, limit)
        .map(([uri, { minimumRole }]) => ({ uri, name: uri, mimeType: "text/plain", minimumRole }));
    },
    async read(uri, caller) {
      const found = documents.get(uri);
      if (found === undefined || !roleAtLeast(effectiveRole(caller), found.minimumRole)) return undefined;
      return { uri, mimeType: "text/plain", text: found.text };
    },
    onUpdated(listener) {
      updated.add(listener);
      return () => void updated.delete(listener);
    },
    onListChanged(listener) {
      listed.add(listener);
      return () => void listed.delete(listener);
    },
    put(uri, text, minimumRole = "viewer") {
      const known = documents.has(uri);
      documents.set(uri, { text, minimumRole });
      if (!known) for (const listener of listed) listener();
      for (const listener of updated) listener(uri);
    },
    touch(uri, meta) {
      for (const listener of updated) listener(uri, meta);
    },
    drop(uri) {
      documents.delete(uri);
      for (const listener of listed) listener();
    },
  };
}
