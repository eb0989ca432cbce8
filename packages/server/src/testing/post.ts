const VERSION = "2026-07-28";

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON. */
  readonly body: unknown;
  readonly text: string;
}

export interface PostOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly capabilities?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly id?: string | number;
  readonly version?: string;
}

/** A well-formed 2026 request, unless the options spoil it. A header set to undefined is left out. */
export async function post(
  url: URL | string,
  method: string,
  params: Record<string, unknown> = {},
  options: PostOptions = {},
): Promise<Posted> {
  const version = options.version ?? VERSION;
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const body = {
    jsonrpc: "2.0",
    id: options.id ?? 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": options.capabilities ?? {},
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        ...options.meta,
      },
    },
  };
  return send(url, JSON.stringify(body), {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  });
}

/** Any body with any headers. */
export async function send(
  url: URL | string,
  body: string | undefined,
  headers: Readonly<Record<string, string | undefined>>,
  method = "POST",
): Promise<Posted> {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text), text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return lastEvent(text);
  }
}

/** The data of the last event of a stream that has ended. */
function lastEvent(text: string): unknown {
  const data = [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1];
  try {
    return data === undefined ? undefined : JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** A member deep inside a body, for tests that go on with it. */
export function pick<T = unknown>(body: unknown, ...path: readonly (string | number)[]): T {
  // The test that asked knows what it put there; a wrong guess fails its next line.
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
    body,
  ) as T;
}
