import type { Clock, Duration } from "@steading/kernel";

/** Fetches a small JSON document of a configured server. Follows no redirects: they could lead anywhere. */
export async function fetchJson({
  url,
  clock,
  within,
  bytes,
}: {
  readonly url: string;
  readonly clock: Pick<Clock, "timer">;
  readonly within: Duration;
  readonly bytes: number;
}): Promise<unknown> {
  const stop = new AbortController();
  const cancel = clock.timer(within, () => stop.abort(new Error(`No answer within ${within} ms.`)));
  try {
    const headers = { Accept: "application/json" };
    const response = await fetch(url, { headers, redirect: "error", signal: stop.signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`Answered with status ${response.status}.`);
    }
    return JSON.parse(await readText(response, bytes));
  } finally {
    cancel();
  }
}

async function readText(response: Response, bytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    const part = piece as Uint8Array; // fetch bodies are bytes; the type says unknown
    size += part.length;
    if (size > bytes) throw new Error(`Answered with more than ${bytes} bytes.`);
    pieces.push(part);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
}
