import type { CommandWords } from "./command-words.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A script that teaches a shell the commands and flags. It runs nothing of ours while somebody types. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return zsh(commands);
    case "fish":
      return fish(commands);
  }
}

/** A shell function that prints what may follow a command, and fails for what is none. */
function wordsFunction(commands: readonly CommandWords[]): string {
  const cases = commands.map(({ at, words }) => `    '${at}') echo '${words.map(({ word }) => word).join(" ")}' ;;`);
  return ["_steading_words() {", '  case "$1" in', ...cases, "    *) return 1 ;;", "  esac", "}"].join("\n");
}

function bash(commands: readonly CommandWords[]): string {
  return `# steading completion bash >> ~/.bashrc
${wordsFunction(commands)}
_steading() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _steading_words "\${at:+$at }$word" > /dev/null; then at="\${at:+$at }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_steading_words "$at")" -- "$cur"))
}
complete -o default -F _steading steading
`;
}

function zsh(commands: readonly CommandWords[]): string {
  return `#compdef steading
# steading completion zsh > a file called _steading in a folder of $fpath
${wordsFunction(commands)}
_steading() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if _steading_words "\${at:+$at }$word" > /dev/null; then at="\${at:+$at }$word"; fi
  done
  compadd -- \${(s: :)"$(_steading_words "$at")"}
  _files
}
if [ "$funcstack[1]" = "_steading" ]; then _steading "$@"; else compdef _steading steading; fi
`;
}

function fish(commands: readonly CommandWords[]): string {
  const known = commands.flatMap(({ at }) => (at === "" ? [] : [`'${at}'`])).join(" ");
  const lines = commands.flatMap(({ at, words }) =>
    words.map(({ word, says }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c steading -n "__steading_at '${at}'" ${what}${says === "" ? "" : ` -d '${quoted(says)}'`}`;
    }),
  );
  return `# steading completion fish > ~/.config/fish/completions/steading.fish
function __steading_at
  set -l at
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$at $word")
    contains -- $next ${known}; and set at $next
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function quoted(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
}
