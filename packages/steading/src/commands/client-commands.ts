import { InvalidArgumentError, Option, type Command } from "@commander-js/extra-typings";
import type { Role } from "@steading/kernel";
import type { World } from "../world.ts";

type Finished = (code: number) => void;

/** The commands that talk to a hub that runs. */
export function addClientCommands(program: Command, world: World, finished: Finished): void {
  toHub(program.command("call"))
    .summary("run one tool on a running hub")
    .description(
      "Runs one tool on the hub that is running on this machine, or on the one at --url, and prints its answer.",
    )
    .argument("<tool>", "name of the tool, for example get_property")
    .argument("[json]", "its arguments as one JSON object; - reads them from standard input", "{}")
    .option("--yes", "say yes when the tool asks for a confirmation; at a terminal you are asked otherwise")
    .option("--json", "print the bare answer as one line of JSON")
    .action(async (tool, json, flags) => finished(await (await import("./call.ts")).call(tool, json, flags, world)));

  toHub(program.command("query"))
    .summary("look at what the hub knows")
    .description("Shows the graph as an outline, from a path on.")
    .argument("[path]", "where to start, for example /lamps", "/")
    .option("--depth <levels>", "how many levels to show (default: 1)", asCount)
    .option("--types <names>", "find subjects of these types or interfaces instead, comma-separated", asNames)
    .option("--properties", "show values too")
    .option("--json", "print the bare answer as one line of JSON")
    .action(async (path, flags) => finished(await (await import("./query.ts")).query(path, flags, world)));

  toHub(program.command("watch"))
    .summary("follow values as they change")
    .description("Prints a line for each change until Ctrl-C. A subject's path stands for all its properties.")
    .argument("<path...>", "properties or subjects, for example /lamps/demo/on")
    .option("--json", "one JSON object a line")
    .action(async (paths, flags) => finished(await (await import("./watch.ts")).watch(paths, flags, world)));

  toHub(program.command("actions"))
    .summary("see what became of actions")
    .description("Lists the latest actions, or shows all that is on record about one.")
    .argument("[id]", "the `action` of a receipt")
    .option("--in-doubt", "only those of which nobody knows whether they took effect")
    .option("--limit <number>", "how many (default: 50, at most 200)", asCount)
    .option("--json", "print the bare answer as one line of JSON")
    .action(async (id, flags) => finished(await (await import("./actions.ts")).actions(id, flags, world)));

  toHub(program.command("estop"))
    .summary("switch everything off, at once")
    .description(
      "Emergency stop: switches everything off that can be switched off. Nothing is switched on again until `steading arm`.",
    )
    .option("--json", "print the bare answer as one line of JSON")
    .action(async (flags) => finished(await (await import("./estop.ts")).estop(flags, world)));

  toHub(program.command("approve"))
    .summary("approve or decline what waits for a person")
    .description(
      "Some actions wait until a person says yes. This lists them and decides; the asking model cannot do it itself.",
    )
    .argument("[id]", "the approval's id")
    .option("--list", "show what waits")
    .option("--decline", "say no instead of yes")
    .option("--json", "print the bare answer as one line of JSON")
    .action(async (id, flags) => finished(await (await import("./approve.ts")).approve(id, flags, world)));
}

/** How a running hub is reached, the same for all of them. */
function toHub(command: Command) {
  return command
    .option("--data <dir>", "data directory of the running hub")
    .option("--url <address>", "reach a hub by its MCP address instead, for example http://127.0.0.1:3000/mcp")
    .option("--token <token>", "access token for --url (better: the environment variable STEADING_TOKEN)")
    .addOption(roleOption());
}

/** Spelt out: help must not wait for the kernel to load. */
export const ROLE_NAMES = ["viewer", "operator", "admin"] as const satisfies readonly Role[];

export function roleOption() {
  return new Option("--role <role>", "act with this role (default: operator, or STEADING_ROLE)").choices(ROLE_NAMES);
}

export function asCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
  return Number(text);
}

export function asNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Give names with commas between them.");
  return names;
}
