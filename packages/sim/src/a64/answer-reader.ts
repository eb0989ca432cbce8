import { gunzipSync, inflateSync } from "node:zlib";

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; of several lines with one name all values, joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the connection may carry another request. */
  readonly reusable: boolean;
}

export interface AnswerReader {
  /** The whole answer, once its last byte is there. Throws when it is no HTTP. */
  push(piece: Buffer): HttpAnswer | undefined;
  /** The connection has ended: an answer without a length ends with it, any other is half an answer. */
  end(): HttpAnswer | undefined;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

type Framing =
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" };

export function createAnswerReader(): AnswerReader {
  let rest: Buffer = Buffer.alloc(0);
  let head: Head | undefined;
  const body: Buffer[] = [];
  let bodyLength = 0;
  let isDone = false;

  function take(piece: Buffer): void {
    body.push(piece);
    bodyLength += piece.length;
  }

  function finish(reusable: boolean): HttpAnswer | undefined {
    if (!head || isDone) return undefined;
    isDone = true;
    const { status, headers } = head;
    const closes = headers["connection"]?.toLowerCase() === "close";
    return { status, headers, body: decoded(Buffer.concat(body), headers), reusable: reusable && !closes };
  }

  function readHead(): void {
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const found = parseHead(rest.subarray(0, end).toString("latin1"));
      rest = rest.subarray(end + 4);
      if (found.status < 200) continue; // an interim answer; the real one follows
      head = found;
      return;
    }
  }

  return {
    push(piece) {
      rest = Buffer.concat([rest, piece]);
      if (!head) readHead();
      if (!head) return undefined;
      const framing = framingOf(head);
      if (framing.kind === "length") {
        take(rest);
        rest = Buffer.alloc(0);
        return bodyLength >= framing.length ? finish(bodyLength === framing.length) : undefined;
      }
      if (framing.kind === "close") {
        take(rest);
        rest = Buffer.alloc(0);
        return undefined;
      }
      const { isLast, left } = readChunks(rest, take);
      rest = left;
      return isLast ? finish(left.length === 0) : undefined;
    },
    end: () => (head && framingOf(head).kind === "close" ? finish(false) : undefined),
  };
}

function readChunks(bytes: Buffer, take: (piece: Buffer) => void): { readonly isLast: boolean; readonly left: Buffer } {
  let left = bytes;
  for (;;) {
    const line = left.indexOf("\r\n");
    if (line < 0) return { isLast: false, left };
    const size = Number.parseInt(left.subarray(0, line).toString("latin1"), 16);
    if (!Number.isInteger(size) || size < 0) throw new Error("The answer has a chunk without a size.");
    const end = line + 2 + size + 2;
    if (left.length < end) return { isLast: false, left };
    if (size > 0) take(left.subarray(line + 2, line + 2 + size));
    left = left.subarray(end);
    if (size === 0) return { isLast: true, left };
  }
}

function parseHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined)
    throw new Error(`The answer does not begin like HTTP: ${JSON.stringify(first.slice(0, 80))}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Error(`The answer has a header line without a name: ${JSON.stringify(line)}`);
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { status: Number(status), headers };
}

function framingOf({ status, headers }: Head): Framing {
  if (status === 204 || status === 304) return { kind: "length", length: 0 };
  if (headers["transfer-encoding"]?.toLowerCase().includes("chunked")) return { kind: "chunked" };
  const length = headers["content-length"];
  return length === undefined ? { kind: "close" } : { kind: "length", length: Number(length) };
}

function decoded(body: Buffer, headers: Head["headers"]): Buffer {
  if (body.length === 0) return body;
  if (headers["content-encoding"] === "gzip") return gunzipSync(body);
  return headers["content-encoding"] === "deflate" ? inflateSync(body) : body;
}
