/** The known name that a mistyped one most likely meant, or undefined when none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const wanted = plain(given);
  // A third of the letters may be wrong; beyond that a suggestion misleads more than it helps.
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const name of known) {
    const distance = editDistance(wanted, plain(name), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** `zoneId`, `zone_id` and `Zone-Id` are the same word to the person who typed it. */
function plain(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[-_. ]/g, "");
}

/** Insertions, deletions, replacements and swaps of neighbours; gives up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
