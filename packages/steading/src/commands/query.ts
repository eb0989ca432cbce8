import { isJsonObject, type Json, type JsonObject } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { withHub, type HubAddress } from "../local/hub-client.ts";
import type { World } from "../world.ts";

export interface QueryFlags extends HubAddress {
  readonly depth?: number;
  readonly types?: readonly string[];
  readonly properties?: true;
  readonly json?: true;
}

/** Shows the graph from a path on: an outline for people, the tool's own answer with --json. */
export async function query(path: string, flags: QueryFlags, world: World): Promise<number> {
  const { depth, types, properties, json } = flags;
  const input: JsonObject = {
    path,
    ...(depth !== undefined && { depth }),
    ...(types !== undefined && { filter: { types: [...types] } }),
    ...(properties && { includeProperties: true }),
  };
  const answer = await withHub(flags, world, (hub) => hub.ask("query", input));
  world.stdout.write(json ? `${JSON.stringify(answer)}\n` : outline(path, answer));
  return EXIT.ok;
}

function outline(path: string, answer: JsonObject): string {
  const lines = [path];
  const { subject, subjects, truncated } = answer;
  if (isJsonObject(subject)) addMembers(lines, subject, 1);
  if (isJsonObject(subjects)) addMembers(lines, subjects, 1);
  if (truncated === true) lines.push("… there is more; ask with a longer path, or see --json for the cursor");
  return `${lines.join("\n")}\n`;
}

/** A child is recognised by `$type`; whatever else has no `$` in front is a property, or a group of children. */
function addMembers(lines: string[], node: JsonObject, level: number): void {
  const indent = "  ".repeat(level);
  for (const [key, member] of Object.entries(node)) {
    if (key.startsWith("$") || !isJsonObject(member)) continue;
    if (typeof member["$ref"] === "string") lines.push(`${indent}${key} -> ${member["$ref"]}`);
    else if (typeof member["$type"] === "string") {
      const title = member["$title"];
      lines.push(`${indent}${key}  (${member["$type"]}${typeof title === "string" ? `, ${title}` : ""})`);
      addMembers(lines, member, level + 1);
    } else if ("value" in member) lines.push(`${indent}${key} = ${valueText(member)}`);
    else {
      lines.push(`${indent}${key}`);
      addMembers(lines, member, level + 1);
    }
  }
}

/** A value with its unit, and how far it may be trusted when that is not fully. */
export function valueText({ value, unit, quality }: Readonly<Record<string, Json | undefined>>): string {
  const marks = [unit, quality].filter((mark) => typeof mark === "string");
  return [JSON.stringify(value ?? null), ...marks].join(" ");
}
