/** Reads an event stream event by event. */
export interface EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; undefined when the stream has ended. Comments are events without data. */
  next(): Promise<StreamEvent | undefined>;
  /** The next message that is not a comment. */
  message(): Promise<unknown>;
  close(): void;
}

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: string;
}

export async function openEvents(url: URL | string, init: RequestInit = {}): Promise<EventReader> {
  const aborter = new AbortController();
  const response = await fetch(url, { ...init, signal: aborter.signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";

  async function next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end >= 0) {
        const event = parse(rest.slice(0, end));
        rest = rest.slice(end + 2);
        return event;
      }
      const piece = await reader?.read();
      if (piece === undefined || piece.done) return undefined;
      rest += decoder.decode(piece.value as Uint8Array, { stream: true });
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    async message() {
      for (;;) {
        const event = await next();
        if (event === undefined) return undefined;
        if (event.data !== undefined && event.data !== "") return JSON.parse(event.data) as unknown;
      }
    },
    close: () => aborter.abort(),
  };
}

function parse(block: string): StreamEvent {
  const fields = block.split("\n").map((line) => /^([a-z]*): ?(.*)$/.exec(line));
  const named = Object.fromEntries(fields.flatMap((field) => (field === null ? [] : [[field[1], field[2]]]))) as Record<
    string,
    string
  >;
  const { id, event, data, "": comment } = named;
  return {
    ...(id && { id }),
    ...(event && { event }),
    ...(data !== undefined && { data }),
    ...(comment !== undefined && { comment }),
  };
}
