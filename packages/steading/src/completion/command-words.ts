import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** What may follow a command: its own commands and its flags. */
export interface CommandWords {
  /** The command as it is typed, without `steading`: empty, `user`, `user add`. */
  readonly at: string;
  readonly words: readonly { readonly word: string; readonly says: string }[];
}

/** Every command with what may follow it, read from the program itself so that the two cannot drift apart. */
export function commandWords(program: CommandUnknownOpts): readonly CommandWords[] {
  return below(program, "");
}

function below(command: CommandUnknownOpts, at: string): readonly CommandWords[] {
  const commands = command.commands.map((each) => ({ word: each.name(), says: each.summary() || each.description() }));
  const flags = command.options.flatMap(({ long, description, hidden }) =>
    long === undefined || long === null || hidden ? [] : [{ word: long, says: description }],
  );
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, says: "" })),
  );
  const own = { at, words: [...commands, ...choices, ...flags, { word: "--help", says: "show help" }] };
  return [own, ...command.commands.flatMap((each) => below(each, at === "" ? each.name() : `${at} ${each.name()}`))];
}
