const MAX_SUGGESTIONS = 5;
/** Comparing costs length times length; names beyond this are only matched by prefix and case. */
const MAX_COMPARED_CHARS = 64;
/** Candidates looked at before giving up: a suggestion is a courtesy and must stay cheap on a map of 100 000 keys. */
const MAX_CANDIDATES = 2_000;

/** The candidates a person probably meant, best first: same letters in another case, then same start, then few typos. */
export function nearNames(wanted: string, candidates: Iterable<string>, most = MAX_SUGGESTIONS): string[] {
  const lower = wanted.toLowerCase();
  const ranked: { name: string; rank: number }[] = [];
  let looked = 0;
  for (const name of candidates) {
    if (++looked > MAX_CANDIDATES) break;
    const rank = distanceRank(lower, name.toLowerCase());
    if (rank !== undefined) ranked.push({ name, rank });
  }
  ranked.sort((a, b) => a.rank - b.rank);
  return [...new Set(ranked.map((entry) => entry.name))].slice(0, most);
}

function distanceRank(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0;
  if (wanted.length === 0) return undefined;
  if (name.startsWith(wanted) || wanted.startsWith(name)) return name.length === 0 ? undefined : 1;
  if (wanted.length >= 3 && name.includes(wanted)) return 2;
  if (wanted.length > MAX_COMPARED_CHARS || name.length > MAX_COMPARED_CHARS) return undefined;
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3));
  const typos = editDistance(wanted, name, allowed);
  return typos <= allowed ? 2 + typos : undefined;
}

/** Optimal string alignment distance (a swapped pair of letters is one typo), given up beyond `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
