import type { Tool } from "@steading/kernel";

const IN_NAME = 8;
const IN_TITLE = 4;
const IN_DESCRIPTION = 1;

/** Tools that have to do with the words of a query, the best first. Without words: all, in list order. */
export function rankTools(tools: readonly Tool[], query: string): readonly Tool[] {
  const wanted = wordsOf(query);
  if (wanted.length === 0) return tools;
  return tools
    .map((tool, order) => ({ tool, order, score: scoreOf(tool, wanted, query) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.order - b.order)
    .map(({ tool }) => tool);
}

function scoreOf(tool: Tool, wanted: readonly string[], query: string): number {
  if (tool.name === query.trim()) return Number.MAX_SAFE_INTEGER;
  const name = wordsOf(tool.name);
  const title = wordsOf(tool.title);
  const description = wordsOf(tool.description());
  return wanted.reduce(
    (sum, word) =>
      sum + IN_NAME * match(word, name) + IN_TITLE * match(word, title) + IN_DESCRIPTION * match(word, description),
    0,
  );
}

/** A whole word counts twice its beginning: somebody who types `zone` means `zones` too, but less surely. */
function match(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 2;
  return words.some((each) => each.startsWith(word) || (each.length > 2 && word.startsWith(each))) ? 1 : 0;
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
