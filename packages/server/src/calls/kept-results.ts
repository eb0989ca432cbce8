import { randomUUID } from "node:crypto";
import type { Cancel, Clock, Duration } from "@steading/kernel";
import type { ResourceSource, ServedContent } from "../lists/resource-source.ts";

/** Results that were too large for an answer, to be read as resources by whoever asked. */
export interface KeptResults extends ResourceSource {
  /** Undefined: too large even for this. */
  keep(
    principal: string,
    content: { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string }),
  ): string | undefined;
  readonly bytes: number;
  /** Let go before their time because there was no room. */
  readonly evicted: number;
  clear(): void;
}

interface Kept {
  readonly principal: string;
  readonly content: ServedContent;
  readonly bytes: number;
  readonly forget: Cancel;
}

export function createKeptResults({
  clock,
  maxBytes,
  age,
}: {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly age: Duration;
}): KeptResults {
  const kept = new Map<string, Kept>();
  let bytes = 0;
  let evicted = 0;

  function drop(uri: string): void {
    const found = kept.get(uri);
    if (found === undefined) return;
    found.forget();
    bytes -= found.bytes;
    kept.delete(uri);
  }

  return {
    scheme: "steading",
    // Each is read by its own caller alone, whatever tool made it.
    forAnyToken: true,
    // Each belongs to one caller and one answer; a list of them would help nobody.
    list: () => [],
    templates: [
      {
        uriTemplate: "steading://results/{id}",
        name: "result",
        description: "A result that was too large for its answer.",
      },
    ],
    read(uri, caller) {
      const found = kept.get(uri);
      return Promise.resolve(found?.principal === caller.principal ? found.content : undefined);
    },
    keep(principal, content) {
      const size = "text" in content ? Buffer.byteLength(content.text) : content.blob.length;
      if (size > maxBytes) return undefined;
      const uri = `steading://results/${randomUUID()}`;
      for (const oldest of kept.keys()) {
        if (bytes + size <= maxBytes) break;
        evicted++;
        drop(oldest);
      }
      bytes += size;
      kept.set(uri, {
        principal,
        content: { uri, ...content },
        bytes: size,
        forget: clock.timer(age, () => drop(uri)),
      });
      return uri;
    },
    get bytes() {
      return bytes;
    },
    get evicted() {
      return evicted;
    },
    clear() {
      for (const uri of [...kept.keys()]) drop(uri);
    },
  };
}
