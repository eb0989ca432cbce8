export type HeaderLines = readonly (readonly [name: string, value: string])[];

export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: HeaderLines;
  readonly json?: unknown;
}

/** What httpx 0.28.1 puts into every request unless the caller says otherwise, in its order. */
const DEFAULTS: HeaderLines = [
  ["Accept", "*/*"],
  ["Accept-Encoding", "gzip, deflate"],
  ["Connection", "keep-alive"],
  ["User-Agent", "python-httpx/0.28.1"],
];

/** The bytes that httpx would send: order, capitals and spaces of the header lines are its own. */
export function toRequestBytes(
  host: string,
  { method, path, query = {}, headers = [], json }: OutgoingRequest,
): Buffer {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json), "utf8");
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    ["Host", host],
    // A method that may have a body and has none says so, before everything else and without a type.
    ...(body === undefined && (method === "POST" || method === "PUT") ? [["Content-Length", "0"]] : []),
    // A header of the caller replaces the default and moves to the end.
    ...DEFAULTS.filter(([name]) => !given.has(name.toLowerCase())),
    ...headers,
    ...(body === undefined ? [] : [["Content-Length", String(body.length)]]),
    ...(body === undefined || given.has("content-type") ? [] : [["Content-Type", "application/json"]]),
  ];
  const head = [`${method} ${path}${toQuery(query)} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body ?? Buffer.alloc(0)]);
}

/** Python's urlencode: a space becomes a plus; of the marks only `_.-~` stay as they are. */
function toQuery(query: NonNullable<OutgoingRequest["query"]>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${quotePlus(name)}=${quotePlus(String(value))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function quotePlus(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}
