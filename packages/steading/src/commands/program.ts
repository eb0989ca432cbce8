import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { packageVersion } from "../hub/package-version.ts";
import type { World } from "../world.ts";
import { addClientCommands, roleOption } from "./client-commands.ts";
import { addDeskCommands } from "./desk-commands.ts";
import { addEbusCommands } from "./ebus-commands.ts";
import { addFarmCommands } from "./farm-commands.ts";
import { addSetupCommands } from "./setup-commands.ts";
import { addSimCommands } from "./sim-commands.ts";
import { asPort, FEATURE_HEADING, featureHelp, withHubFlags } from "./hub-flags.ts";

/**
 * All commands and their flags. What a command does is loaded when it runs: `--help` should not wait for a database.
 */
export function createProgram(world: World, finished: (code: number) => void): Command {
  const program = new Command("steading")
    .description(
      "Steading: one MCP server for a whole place. An AI host connects once, sees everything and acts safely.",
    )
    .version(`steading ${packageVersion()}`, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showHelpAfterError("Run `steading --help` to see what is possible.")
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
    })
    .configureHelp({
      showGlobalOptions: false,
      formatItemList(heading, items, helper) {
        if (heading === FEATURE_HEADING) return featureHelp();
        return items.length === 0 ? [] : [helper.styleTitle(heading), ...items.map((item) => item), ""];
      },
    })
    .exitOverride()
    .addHelpText("after", EXAMPLES);

  withHubFlags(program.command("start"))
    .summary("run the hub")
    .description("Runs the hub until it is told to stop (Ctrl-C). The first start prints how to connect a client.")
    .action(async (flags) => finished(await (await import("./start.ts")).start(flags, world)));

  withHubFlags(program.command("demo"))
    .summary("run the hub with a virtual place to try it on")
    .description(
      "Starts a simulated lamp, a heated house and a farm on real sockets and a hub around them. Without --data everything is thrown away at the end.",
    )
    .action(async (flags) => finished(await (await import("./demo.ts")).demo(flags, world)));

  addClientCommands(program, world, finished);
  addDeskCommands(program, world, finished);
  addSetupCommands(program, world, finished);
  addSimCommands(program, world, finished);
  addEbusCommands(program, world, finished);
  addFarmCommands(program, world, finished);

  program
    .command("stdio")
    .summary("speak MCP on standard input and output")
    .description(
      "For clients that start their servers themselves. Attaches to the running hub; with none running it is one itself.",
    )
    .option("--data <dir>", "data directory of the hub")
    .option("--config <file>", "settings file, used when no hub is running yet")
    .addOption(roleOption())
    .option("--view <name>", "tools to show: essential, all, or one toolset (default: essential)")
    .option("--json", "log as JSON; standard output is MCP either way")
    .action(async (flags) => finished(await (await import("./stdio.ts")).stdio(flags, world)));

  program
    .command("serve")
    .summary("serve what the MCP conformance suite asks for")
    .description(
      "For the MCP conformance suite and nothing else: its fixtures, on loopback, to anybody without a credential.",
    )
    .requiredOption("--conformance", "say that this is meant")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <number>", "port, 0 takes a free one (default: 3000)", asPort)
    .option("--ready-file <file>", "write the addresses there, as JSON, once it listens")
    .option("--json", "print the addresses as one line of JSON instead of text")
    .action(async (flags) => finished(await (await import("./serve.ts")).serveConformance(flags, world)));

  for (const command of program.commands) command.helpGroup(groupOf(command.name()));
  // A subcommand takes over its parent's behaviour only when told to.
  inherit(program);
  return program;
}

/** Twenty commands in one row teach nobody anything; what one wants to do leads to the few that help. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Run a hub:": ["start", "demo", "stdio", "init", "sim", "serve"],
  "Use a hub that runs:": ["call", "query", "watch", "actions", "approve", "estop"],
  "Look after a hub, running or not:": ["user", "token", "backup", "restore", "arm", "farm", "doctor"],
};

function groupOf(name: string): string {
  return Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? "Get your programs ready:";
}

function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

const EXAMPLES = `
New here? Run \`steading demo\` in one shell and \`steading query --data <dir>\` in another; it prints its directory.

Examples:
  steading demo                                      a virtual place to try things on
  steading start --data ~/steading                   your own hub
  steading call get_property '{"path":"/lamps/demo/on"}'
  steading call set_property '{"path":"/lamps/demo/on","value":true}'
  steading watch /lamps/demo/on
  steading user add anna@example.org --role operator

Exit codes: 0 done, 1 the tool answered an error, 2 wrong usage or settings, 3 no hub is running,
            4 the hub refused, 5 the hub could not start, 70 a fault of Steading.`;
