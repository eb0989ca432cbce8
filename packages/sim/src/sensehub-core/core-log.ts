/** One request that reached the core. */
export interface CoreRequest {
  /** 1 for the first; no gaps. */
  readonly order: number;
  readonly method: string;
  /** With its query, as it came. */
  readonly url: string;
  /** The Authorization header, as it came. */
  readonly authorization: string | undefined;
  readonly body: string;
  /** Undefined when the connection was dropped instead. */
  readonly status: number | undefined;
}

export interface CoreLog {
  add(request: Omit<CoreRequest, "order">): void;
  readonly requests: readonly CoreRequest[];
  readonly dropped: number;
  /** How often each call was made, by `GET /api/equipment/:id` and the like; never forgets. */
  readonly counts: Readonly<Record<string, number>>;
}

export function createCoreLog({ limit }: { readonly limit: number }): CoreLog {
  let requests: CoreRequest[] = [];
  let dropped = 0;
  const counts: Record<string, number> = {};
  return {
    add(request) {
      if (requests.length >= limit) {
        const surplus = Math.max(1, Math.floor(limit / 4));
        requests = requests.slice(surplus);
        dropped += surplus;
      }
      requests.push({ order: dropped + requests.length + 1, ...request });
      const name = callName(request);
      // An unlimited number of made-up paths would be an unlimited number of names.
      if (name in counts || Object.keys(counts).length < 500) counts[name] = (counts[name] ?? 0) + 1;
    },
    get requests() {
      return requests;
    },
    get dropped() {
      return dropped;
    },
    get counts() {
      return counts;
    },
  };
}

function callName({ method, url }: Pick<CoreRequest, "method" | "url">): string {
  const [path = ""] = url.split("?");
  return `${method} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/:id")}`;
}
