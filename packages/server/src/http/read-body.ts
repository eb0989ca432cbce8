import type { IncomingMessage } from "node:http";

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "not-json" }
  | { readonly kind: "too-large" }
  /** The client left before it had sent everything. */
  | { readonly kind: "gone" };

/** How many times the limit a client may still pour in after it was refused, so that it can read why. */
const PATIENCE = 4;

/** Reads at most `limit` bytes. `application/json` only, which the caller has checked. */
export function readBody(req: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const declared = Number(req.headers["content-length"] ?? 0);
    let size = 0;
    let refused = declared > limit;
    const chunks: Buffer[] = [];
    if (refused) resolve({ kind: "too-large" });

    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit * PATIENCE) return void req.destroy();
      if (refused) return;
      if (size > limit) {
        refused = true;
        chunks.length = 0;
        return resolve({ kind: "too-large" });
      }
      chunks.push(chunk);
    });
    req.on("end", () => {
      if (!refused) resolve(parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    });
    // Also follows a broken connection, which is no error as long as nobody listens for one.
    req.on("close", () => resolve({ kind: "gone" }));
  });
}

function parse(bytes: Buffer | undefined): Body {
  try {
    return { kind: "json", value: JSON.parse(bytes === undefined ? "" : bytes.toString("utf8")) as unknown };
  } catch {
    return { kind: "not-json" };
  }
}

/** `application/json`, with or without parameters. */
export function isJsonMediaType(header: string | undefined): boolean {
  if (header === "application/json") return true;
  return header !== undefined && header.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
