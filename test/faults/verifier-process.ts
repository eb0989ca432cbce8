import { text } from "node:stream/consumers";
import { processEnd } from "../support/hub-process.ts";
import { spawnTypeScript } from "../support/typescript-process.ts";

/** What the verifier is given to compare. */
export interface Evidence {
  readonly data: string;
  readonly config: string;
  readonly journal: string;
  readonly lamps: readonly { readonly name: string; readonly host: string; readonly port: number }[];
}

export interface Finding {
  readonly complaints: readonly string[];
  readonly counts: {
    readonly sent: number;
    readonly answered: number;
    readonly inDoubt: number;
    readonly commands: number;
  };
}

/** Compares disk, product, lamps and journal in a process that knows nothing but the files; see verifier.ts. */
export async function verifyInFreshProcess(evidence: Evidence): Promise<Finding> {
  const child = spawnTypeScript(
    new URL("verifier.ts", import.meta.url),
    [JSON.stringify(evidence)],
    ["ignore", "pipe", "inherit"],
  );
  if (!child.stdout) throw new Error("The verifier has no output.");
  const [output, ended] = await Promise.all([text(child.stdout), processEnd(child)]);
  if (ended.code !== 0)
    throw new Error(`The verifier ended with code ${ended.code}, signal ${ended.signal}: ${output}`);
  return JSON.parse(output) as Finding; // printed by verifier.ts, which shares this type
}
