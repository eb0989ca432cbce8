import { Option, type Command } from "@commander-js/extra-typings";
import type { World } from "../world.ts";
import { asCount, asNames, ROLE_NAMES } from "./client-commands.ts";

type Finished = (code: number) => void;

/** The commands that look after a hub, whether it runs or not. */
export function addDeskCommands(program: Command, world: World, finished: Finished): void {
  addUserCommands(program, world, finished);
  addTokenCommands(program, world, finished);

  onData(program.command("backup"))
    .summary("copy the hub's state")
    .description("Copies the hub's state into a directory that does not exist yet. The hub may run meanwhile.")
    .argument("<dir>", "where to; it is made")
    .action(async (dir, flags) => finished(await (await import("./backup.ts")).backup(dir, flags, world)));

  onData(program.command("restore"))
    .summary("go back to a backup at the next start")
    .description("Checks a backup and lays it ready. Nothing changes until the hub starts the next time.")
    .argument("[dir]", "a directory that `steading backup` made")
    .option("--cancel", "forget a restore that lies ready")
    .action(async (dir, flags) => finished(await (await import("./backup.ts")).restore(dir, flags, world)));

  onData(program.command("arm"))
    .summary("let the hub act again after a restore or an emergency stop")
    .description(
      "A hub that came back from a backup, or was stopped, switches nothing on until a person has looked around. This ends that.",
    )
    .action(async (flags) => finished(await (await import("./arm.ts")).arm(flags, world)));
}

function addUserCommands(program: Command, world: World, finished: Finished): void {
  const user = program
    .command("user")
    .summary("see and change who has an account")
    .description("Accounts of this hub. Passwords are asked for, or read from standard input; never given as a flag.");
  const load = () => import("./user.ts");

  onData(user.command("list"))
    .description("Lists the accounts.")
    .action(async (flags) => finished(await (await load()).listUsers(flags, world)));
  onData(user.command("add"))
    .description("Adds an account and asks for its password.")
    .argument("<name>", "what one logs in with; an e-mail address is fine")
    .addOption(new Option("--role <role>", "what it may do").choices(ROLE_NAMES).default("viewer" as const))
    .option("--display-name <text>", "name for people")
    .option("--no-password", "no password: it works through access tokens only")
    .action(async (name, flags) => finished(await (await load()).addUser(name, flags, world)));
  onData(user.command("role"))
    .description("Changes what an account may do, at once and for everything that is open.")
    .argument("<name>")
    .addArgument(program.createArgument("<role>", "viewer, operator or admin").choices(ROLE_NAMES))
    .action(async (name, role, flags) => finished(await (await load()).changeUser(name, { role }, flags, world)));
  for (const [command, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    onData(user.command(command))
      .description(disabled ? "Keeps an account out, with its tokens and logins." : "Lets an account in again.")
      .argument("<name>")
      .action(async (name, flags) => finished(await (await load()).changeUser(name, { disabled }, flags, world)));
  }
  onData(user.command("password"))
    .description("Asks for another password and ends every login of the account.")
    .argument("<name>")
    .action(async (name, flags) => finished(await (await load()).setPassword(name, flags, world)));
  onData(user.command("delete"))
    .description("Deletes an account with its tokens and logins. The last admin stays.")
    .argument("<name>")
    .option("--yes", "do not ask")
    .action(async (name, flags) => finished(await (await load()).deleteUser(name, flags, world)));
}

function addTokenCommands(program: Command, world: World, finished: Finished): void {
  const token = program
    .command("token")
    .summary("see, make and revoke access tokens")
    .description("Access tokens, for clients that reach the hub over HTTP. One is shown once, when it is made.");
  const load = () => import("./token.ts");

  onData(token.command("list"))
    .description("Lists the tokens, newest first. None of them is shown.")
    .argument("[owner]", "only those of this account")
    .action(async (owner, flags) => finished(await (await load()).listTokens(owner, flags, world)));
  onData(token.command("create"))
    .description("Makes a token for an account and prints it, once.")
    .argument("<owner>", "the account")
    .requiredOption("--label <text>", "what it is for")
    .addOption(new Option("--role <role>", "at most this role (default: the owner's)").choices(ROLE_NAMES))
    .option("--toolsets <names>", "only these toolsets, comma-separated", asNames)
    .option("--paths <paths>", "only these places of the graph, comma-separated, for example /lamps", asNames)
    .option("--days <number>", "how long it is good for (default: until it is revoked)", asCount)
    .action(async (owner, flags) => finished(await (await load()).createToken(owner, flags, world)));
  onData(token.command("revoke"))
    .description("Ends a token and everything that was opened with it.")
    .argument("<id>", "from `steading token list`")
    .action(async (id, flags) => finished(await (await load()).revokeToken(id, flags, world)));
}

function onData(command: Command) {
  return command
    .option("--data <dir>", "data directory of the hub, running or not")
    .option("--json", "print the bare answer as one line of JSON");
}
