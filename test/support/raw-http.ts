import { connect } from "node:net";

/** What a test says to an HTTP server, down to the header lines: nothing is added but a Host and a length. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RawAnswer extends RawHead {
  readonly body: string;
}

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

export interface RawStream extends RawHead {
  /** All that came so far. */
  readonly events: readonly SseEvent[];
  /** Resolves with the first event that the predicate likes, whether it came already or not. */
  event(likes: (event: SseEvent) => boolean): Promise<SseEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

function send(origin: string, { method, target, headers = {}, body }: RawRequest) {
  const { hostname, port, host } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = { Host: host, ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }), ...headers };
  const head = [`${method} ${target} HTTP/1.1`, ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`)];
  socket.on("error", () => {}); // a server may refuse a long body by hanging up; `close` follows
  socket.write(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
  return socket;
}

/** One request on a connection of its own, and its whole answer. */
export async function rawRequest(origin: string, request: RawRequest): Promise<RawAnswer> {
  const socket = send(origin, { ...request, headers: { Connection: "close", ...request.headers } });
  const pieces: Buffer[] = [];
  for await (const piece of socket as AsyncIterable<Buffer>) {
    pieces.push(piece);
    if (isWhole(Buffer.concat(pieces).toString("latin1"))) break;
  }
  const text = Buffer.concat(pieces).toString("utf8");
  const head = readHead(text);
  if (!head) throw new Error(`The answer is no HTTP: ${JSON.stringify(text.slice(0, 200))}`);
  const isChunked = head.headers["transfer-encoding"] === "chunked";
  return { status: head.status, headers: head.headers, body: isChunked ? unchunked(head.rest) : head.rest };
}

/** By its length or its last chunk; an answer with neither ends with its connection. */
function isWhole(text: string): boolean {
  const head = readHead(text);
  if (!head) return false;
  const { "content-length": length, "transfer-encoding": encoding } = head.headers;
  if (encoding === "chunked") return /(^|\r\n)0\r\n\r\n$/.test(head.rest);
  return length !== undefined && head.rest.length >= Number(length);
}

/** A request whose answer goes on: server-sent events, if it is one. */
export async function rawStream(origin: string, request: RawRequest): Promise<RawStream> {
  const socket = send(origin, request);
  let text = "";
  let wake: (() => void)[] = [];
  let isOver = false;
  const tell = (): void => {
    for (const each of wake.splice(0)) each();
  };
  const change = (): Promise<void> => new Promise((resolve) => void wake.push(resolve));
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true;
      tell();
      resolve();
    };
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      tell();
      // The connection may live on for another request; this answer is over all the same.
      if (isWhole(text)) end();
    });
    socket.once("close", end);
  });
  while (!readHead(text)) {
    if (isOver) throw new Error("The server hung up without an answer.");
    await change();
  }
  const { status, headers } = readHead(text) ?? { status: 0, headers: {} };
  const events = (): readonly SseEvent[] => readEvents(unchunked(readHead(text)?.rest ?? ""));
  return {
    status,
    headers,
    get events() {
      return events();
    },
    async event(likes) {
      for (;;) {
        const found = events().find(likes);
        if (found) return found;
        if (isOver) throw new Error(`The stream ended without it: ${JSON.stringify(events())}`);
        await change();
      }
    },
    ended,
    close() {
      socket.destroy();
      wake = [];
    },
  };
}

function readHead(text: string): (RawHead & { readonly rest: string }) | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(first.split(" ")[1]), headers, rest: text.slice(end + 4) };
}

/** Sizes count bytes, and the text is decoded already: what these tests send and get back is ASCII. */
function unchunked(text: string): string {
  let body = "";
  let rest = text;
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = line < 0 ? 0 : Number.parseInt(rest.slice(0, line), 16);
    if (!(size > 0)) return body;
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 2 + size + 2);
  }
}

function readEvents(text: string): readonly SseEvent[] {
  const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
  return whole.split(/\n\n+/).flatMap((block) => {
    const field = (name: string): string | undefined =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    const data = field("data");
    return data === undefined ? [] : [{ event: field("event") ?? "message", data, id: field("id") }];
  });
}
