import type { ServerResponse } from "node:http";

type Headers = Readonly<Record<string, string | number>>;

/** Always with a length: some small clients cannot read a chunked body. */
export function sendText(res: ServerResponse, status: number, type: string, text: string, headers?: Headers): void {
  const length = Buffer.byteLength(text);
  // A flat list is written as it is; an object would be looked through member by member, on every answer.
  if (headers === undefined)
    res.writeHead(status, ["Content-Type", type, "Content-Length", length] as unknown as Record<string, string>);
  else res.writeHead(status, { ...headers, "Content-Type": type, "Content-Length": length });
  res.end(text);
}

export function sendJson(res: ServerResponse, status: number, body: unknown, headers?: Headers): void {
  sendText(res, status, "application/json", JSON.stringify(body), headers);
}

export interface RpcFault {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly id?: string | number | null;
  readonly data?: unknown;
  readonly headers?: Headers;
}

export function sendRpcFault(res: ServerResponse, fault: RpcFault): void {
  const error = { code: fault.code, message: fault.message, ...(fault.data === undefined ? {} : { data: fault.data }) };
  sendJson(res, fault.status, { jsonrpc: "2.0", error, id: fault.id ?? null }, fault.headers);
}

/** The id to repeat in an error, when the body is a request that has one. */
export function echoableId(body: unknown): string | number | null {
  if (typeof body !== "object" || body === null || !("method" in body) || !("id" in body)) return null;
  return typeof body.id === "string" || typeof body.id === "number" ? body.id : null;
}
