import type { Command } from "@commander-js/extra-typings";
import { HOST_APPS } from "../connect/host-apps.ts";
import { SHELLS } from "../completion/completion-script.ts";
import type { World } from "../world.ts";
import { roleOption } from "./client-commands.ts";
import { asPort } from "./hub-flags.ts";

/** The commands that get a hub, a client or a shell ready. */
export function addSetupCommands(program: Command, world: World, finished: (code: number) => void): void {
  program
    .command("init")
    .summary("make a settings file, step by step")
    .description(
      "Asks a few questions and writes steading.config.yaml. Nothing is overwritten; the file can be changed at any time.",
    )
    .option("--file <file>", "where to write it (default: steading.config.yaml in this directory)")
    .addOption(program.createOption("--access <mode>", "do not ask what the hub may do").choices(["read", "write"]))
    .option("--port <number>", "do not ask for the port", asPort)
    .option("--farm", "with a farm: equipment on Modbus")
    .option("--yes", "ask nothing; what no flag says has its default")
    .option("--json", "print what was done as one line of JSON")
    .action(async (flags) => finished(await (await import("./init.ts")).init(flags, world)));

  program
    .command("connect")
    .summary("write this hub into a client's configuration")
    .description(
      "Adds this hub to the configuration of a program that speaks MCP. Shows what changes and asks before it writes.",
    )
    .addArgument(program.createArgument("<app>", "the program").choices(HOST_APPS))
    .option("--data <dir>", "data directory of the hub")
    .option("--file <file>", "its configuration file, when it is not where it usually is")
    .option("--name <name>", "what the program calls this hub", "steading")
    .addOption(roleOption())
    .option("--print", "only print what to paste")
    .option("--yes", "write without asking")
    .option("--json", "print what was done as one line of JSON")
    .action(async (app, flags) => finished(await (await import("./connect.ts")).connect(app, flags, world)));

  program
    .command("doctor")
    .summary("find out what keeps a hub from working")
    .description("Looks at the machine, the settings and the hub's state, and says what is wrong and what to do.")
    .option("--data <dir>", "data directory of the hub")
    .option("--config <file>", "settings file")
    .option("--json", "print the findings as one line of JSON")
    .action(async (flags) => finished(await (await import("./doctor.ts")).doctor(flags, world)));

  program
    .command("completion")
    .summary("teach your shell the commands")
    .description("Prints a script that completes commands and flags. Its first lines say where to put it.")
    .addArgument(program.createArgument("<shell>", "your shell").choices(SHELLS))
    .option("--json", "print the commands and flags as one line of JSON instead")
    .action(async (shell, { json }) => {
      const [{ commandWords }, { completionScript }] = await Promise.all([
        import("../completion/command-words.ts"),
        import("../completion/completion-script.ts"),
      ]);
      const commands = commandWords(program);
      world.stdout.write(json ? `${JSON.stringify({ commands })}\n` : completionScript(shell, commands));
      finished(0);
    });
}
