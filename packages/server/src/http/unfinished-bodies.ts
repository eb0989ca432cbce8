import type { IncomingMessage } from "node:http";
import { seconds, type Cancel, type Clock } from "@steading/kernel";
import type { Limits } from "../limits/limits.ts";

export type RawBody =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** `goesOn`: more of it may come. */
  | { readonly kind: "too-large"; readonly goesOn: boolean }
  | { readonly kind: "too-slow" }
  /** It was the one longest on its way when there were too many. */
  | { readonly kind: "gave-way" }
  /** The client left before it had sent everything. */
  | { readonly kind: "gone" };

export interface Sender {
  /** Who sends it, or from which address. */
  readonly name: string;
  readonly isKnown: boolean;
}

/**
 * Reads bodies, and keeps in bounds what is on its way. Nothing else is spent on a request before its body is whole, so
 * that a client who never finishes holds nothing but its own connection.
 */
export interface UnfinishedBodies {
  read(req: IncomingMessage, order: BodyOrder): Promise<RawBody>;
  readonly size: number;
  close(): void;
}

export interface BodyOrder {
  readonly sender: Sender;
  readonly mostBytes: number;
  /** How much is taken in, and thrown away, before a body that is too large is given up. */
  readonly mostPoured: number;
}

interface Entry {
  readonly sender: Sender;
  readonly since: number;
  heardAt: number;
  giveUp(why: "too-slow" | "gave-way"): void;
}

/** How late a slow body may be noticed. */
const LOOK_EVERY = seconds(1);

export function createUnfinishedBodies({ clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
  const strangers = createCrowd(limits.strangerBodies, limits.strangerBodiesPerAddress);
  const known = createCrowd(limits.bodies, limits.bodiesPerPrincipal);
  let cancel: Cancel | undefined;

  /** One timer for all of them: most bodies are whole long before it looks. */
  function watch(): void {
    cancel ??= clock.timer(LOOK_EVERY, () => {
      cancel = undefined;
      const now = clock.monotonic();
      for (const each of strangers.all) {
        if (now - each.since >= limits.strangerBodyTimeout || isIdle(each, now)) each.giveUp("too-slow");
      }
      for (const each of known.all) if (isIdle(each, now)) each.giveUp("too-slow");
      if (strangers.all.size + known.all.size > 0) watch();
    });
  }

  function isIdle({ heardAt }: Entry, now: number): boolean {
    return now - heardAt >= limits.bodyIdle;
  }

  const bodies: UnfinishedBodies = {
    read: (req, { sender, mostBytes, mostPoured }) =>
      new Promise((resolve) => {
        const declared = Number(req.headers["content-length"] ?? 0);
        if (declared > mostPoured) return resolve({ kind: "too-large", goesOn: true });
        const crowd = sender.isKnown ? known : strangers;
        const now = clock.monotonic();
        let chunks: Buffer[] = [];
        let size = 0;
        let over = false;

        function end(result: RawBody): void {
          if (over) return;
          over = true;
          crowd.leave(entry);
          chunks = [];
          resolve(result);
        }
        /** The rest of it is not wanted any more. */
        function stop(result: RawBody): void {
          req.pause();
          end(result);
        }
        const entry: Entry = { sender, since: now, heardAt: now, giveUp: (kind) => stop({ kind }) };
        crowd.enter(entry);
        watch();

        req.on("data", (chunk: Buffer) => {
          if (over) return;
          entry.heardAt = clock.monotonic();
          size += chunk.length;
          if (size <= mostBytes) return void chunks.push(chunk);
          chunks = [];
          if (size > mostPoured) stop({ kind: "too-large", goesOn: true });
        });
        req.on("end", () => {
          if (size > mostBytes) return end({ kind: "too-large", goesOn: false });
          end({ kind: "bytes", bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) });
        });
        // Also follows a broken connection, which is no error as long as nobody listens for one.
        req.on("close", () => end({ kind: "gone" }));
      }),
    get size() {
      return strangers.all.size + known.all.size;
    },
    close() {
      cancel?.();
      cancel = undefined;
    },
  };
  return bodies;
}

/** So many at one time, and so many of one sender. Whoever came first goes first: an honest body is soon whole. */
function createCrowd(most: number, mostOfOne: number) {
  /** Both in the order in which they came. */
  const all = new Set<Entry>();
  const bySender = new Map<string, Set<Entry>>();

  function giveWay(crowd: ReadonlySet<Entry> | undefined, limit: number): void {
    if (crowd === undefined || crowd.size < limit) return;
    const [oldest] = crowd;
    oldest?.giveUp("gave-way");
  }

  return {
    all: all as ReadonlySet<Entry>,
    enter(entry: Entry): void {
      const { name } = entry.sender;
      giveWay(bySender.get(name), mostOfOne);
      giveWay(all, most);
      all.add(entry);
      const own = bySender.get(name);
      if (own === undefined) bySender.set(name, new Set([entry]));
      else own.add(entry);
    },
    leave(entry: Entry): void {
      const { name } = entry.sender;
      all.delete(entry);
      const own = bySender.get(name);
      own?.delete(entry);
      if (own?.size === 0) bySender.delete(name);
    },
  };
}
