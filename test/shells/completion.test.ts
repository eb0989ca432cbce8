import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { runSteading } from "../support/steading-run.ts";

/** An empty place to type in: file names are completed, too, and must not get in the way. */
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  for (const [shell, file] of [
    ["bash", "steading.bash"],
    ["zsh", "_steading"],
    ["fish", "steading.fish"],
  ] as const) {
    const { code, out } = await runSteading(["completion", shell]);
    if (code !== 0) throw new Error(`steading completion ${shell} ended with ${code}`);
    await writeFile(folder.at(file), out);
  }
  await writeFile(folder.at("type.zsh"), TYPE_ZSH);
});
afterAll(() => folder.remove());

/** What a person would have typed after a press of the tab key. */
type Complete = (typed: string) => string;

const inBash: Complete = (typed) => {
  const script = `source ${folder.at("steading.bash")}
    read -ra COMP_WORDS <<< "$1"; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _steading
    COMP_WORDS[COMP_CWORD]="\${COMPREPLY[*]}"; echo "\${COMP_WORDS[*]}"`;
  return run("bash", ["--norc", "-c", script, "bash", typed]);
};

/** A zsh at a terminal of its own, with its real completion system; the tab key also tells what the line became. */
const TYPE_ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell 'tell() { zle complete-word; print -rn -- "TOLD<\${BUFFER}>DLOT" }; zle -N tell; bindkey "^I" tell; print RE""ADY'
zpty -r shell out '*READY*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell out '*TOLD<*>DLOT*'
print -r -- "\${\${out##*TOLD<}%%>DLOT*}"
zpty -d shell
`;
const inZsh: Complete = (typed) => run("zsh", ["-f", folder.at("type.zsh"), folder.path, typed]);

const inFish: Complete = (typed) => {
  const script = `source ${folder.at("steading.fish")}; complete -C ${JSON.stringify(typed)}`;
  const [first = ""] = run("fish", ["--no-config", "-c", script]).split("\n");
  return `${typed.slice(0, typed.lastIndexOf(" ") + 1)}${first.split("\t")[0]}`;
};

function run(shell: string, args: readonly string[]): string {
  return execFileSync(shell, args, { encoding: "utf8", cwd: folder.at("."), timeout: 30_000 }).trim();
}

test.each([
  ["bash", inBash],
  ["zsh", inZsh],
  ["fish", inFish],
])("%s completes commands, commands of commands, flags and choices", (_, complete) => {
  expect(complete("steading dem")).toBe("steading demo");
  expect(complete("steading user del")).toBe("steading user delete");
  expect(complete("steading user add anna --ro")).toBe("steading user add anna --role");
  expect(complete("steading connect cu")).toBe("steading connect cursor");
  expect(complete("steading start --ready")).toBe("steading start --ready-file");
  expect(complete("steading ar")).toBe("steading arm");
});
