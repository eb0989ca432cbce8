import { recordOutput, runFolder, secret } from "./run-record.ts";

// Loaded before the tests that talk to hubs: every credential that goes out over HTTP is a secret of the run, and every
// refusal that comes back is an error that must not hold one.

const MARK = Symbol.for("steading.records-answers");
/** Shorter ones are words that a test made up. */
const SHORTEST_TOKEN = 20;
const asIs = globalThis.fetch;

if (runFolder() !== undefined && !Object.hasOwn(globalThis, MARK)) {
  Object.defineProperty(globalThis, MARK, { value: true });
  globalThis.fetch = async (input, init) => {
    const sent = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const [, token = ""] = (sent.get("authorization") ?? "").split(" ");
    if (token.length >= SHORTEST_TOKEN) secret(token);
    const answer = await asIs(input, init);
    if (isRefusal(answer))
      void answer
        .clone()
        .text()
        .then(keepErrors, () => {}); // a torn body is no answer
    return answer;
  };
}

/** A stream is never read ahead of its reader. */
function isRefusal({ status, headers }: Response): boolean {
  return status >= 400 || (headers.get("content-type") ?? "").startsWith("application/json");
}

function keepErrors(text: string): void {
  if (text.includes('"error"') || text.includes('"isError":true')) recordOutput("errors", text);
}
