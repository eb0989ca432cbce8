import { text } from "node:stream/consumers";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonObject, SteadingError, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { errorOf, withHub, wordsOf, type HubAddress } from "../local/hub-client.ts";
import type { World } from "../world.ts";
import { askYes, isTerminal } from "./ask-person.ts";

export interface CallFlags extends HubAddress {
  readonly json?: true;
  readonly yes?: true;
}

/** Runs one tool on a running hub and prints its answer; a tool's error goes to standard error. */
export async function call(tool: string, json: string, flags: CallFlags, world: World): Promise<number> {
  const input = parseArguments(json === "-" ? await text(world.stdin) : json);
  return withHub(flags, world, async (hub) => {
    const answer = await hub.call(tool, input);
    const approval = await confirmed(answer, flags, world);
    return print(approval === undefined ? answer : await hub.call(tool, { ...input, approval }), flags, world);
  });
}

/**
 * The approval's id, once the person at this command said yes to what would happen. Undefined: nothing was asked, there is
 * nobody to ask, or it is for somebody else to decide; the answer then says how.
 */
async function confirmed(answer: CallToolResult, flags: CallFlags, world: World): Promise<string | undefined> {
  if (answer.isError !== true) return undefined;
  const { code, details: { approval, confirm, summary } = {} } = errorOf(answer);
  if (code !== "CONFIRMATION_REQUIRED" || confirm !== "confirm" || typeof approval !== "string") return undefined;
  if (flags.yes) return approval;
  if (!isTerminal(world.stdin)) return undefined;
  return (await askYes(`${typeof summary === "string" ? summary : "This changes something."} Go ahead?`, world))
    ? approval
    : undefined;
}

function parseArguments(source: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new SteadingError("USAGE", `The arguments are not JSON: ${source.slice(0, 80)}`);
  }
  if (isJsonObject(value)) return value;
  throw new SteadingError("USAGE", 'The arguments must be one JSON object, for example \'{"path":"/"}\'.');
}

function print(answer: CallToolResult, flags: CallFlags, { stdout, stderr }: World): number {
  const words = wordsOf(answer);
  if (answer.isError === true) {
    stderr.write(`${words}\n`);
    return errorOf(answer).code === "ACCESS_DENIED" ? EXIT.refused : EXIT.toolError;
  }
  const structured = answer.structuredContent;
  if (flags.json) stdout.write(`${structured === undefined ? words : JSON.stringify(structured)}\n`);
  else stdout.write(`${structured === undefined ? words : JSON.stringify(structured, null, 2)}\n`);
  return EXIT.ok;
}
