import type { Asked } from "./plan.fixture.ts";

/** What the client wrote down, over all lives of one directory. This is the judge; the store is the accused. */
export interface ClientNotes {
  /** Commits that were answered, of the classes that promise something. */
  readonly committed: { readonly durability: "fixed" | "kept"; readonly n: number; readonly seq: number }[];
  /** Volatile answers; they promise nothing. */
  risked: number;
  readonly asked: Map<string, Asked>;
  readonly answered: Map<string, { readonly stage: string; readonly action: string }>;
  /** Batches of readings that were answered, with the time of their first reading. */
  readonly read: { readonly n: number; readonly from: number }[];
  /** Everything else that was said; nothing else should be. */
  readonly strange: string[];
}

export function createClientNotes(): ClientNotes {
  return { committed: [], risked: 0, asked: new Map(), answered: new Map(), read: [], strange: [] };
}

export function note(notes: ClientNotes, line: string): void {
  const [word, first = "", second = "", third = ""] = line.split(" ");
  if (word === "committed" && first === "volatile") notes.risked++;
  else if (word === "committed" && (first === "fixed" || first === "kept"))
    notes.committed.push({ durability: first, n: Number(second), seq: Number(third) });
  else if (word === "asked") notes.asked.set(second, { relay: Number(first), key: second, on: third === "true" });
  else if (word === "answered") answer(notes, first, { stage: second, action: third });
  else if (word === "read" && first === "volatile") notes.risked++;
  else if (word === "read") notes.read.push({ n: Number(second), from: Number(third) });
  else if (word !== "open" && word !== "recovered") notes.strange.push(line);
}

function answer({ answered, strange }: ClientNotes, key: string, told: { stage: string; action: string }): void {
  if (answered.has(key)) strange.push(`${key} was answered twice`);
  answered.set(key, told);
}

export function unanswered({ asked, answered }: ClientNotes): Asked[] {
  return [...asked.values()].filter(({ key }) => !answered.has(key));
}
