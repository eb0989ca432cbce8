/** Numbers in [0, 1) that are the same again for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The seed from STEADING_SEED, or one drawn for this run. */
export function chooseSeed(): number {
  const given = process.env["STEADING_SEED"];
  if (given === undefined) return Math.floor(Math.random() * 4_294_967_296);
  const seed = Number(given);
  if (!Number.isInteger(seed) || seed < 0)
    throw new Error(`STEADING_SEED must be a whole number from 0, not "${given}".`);
  return seed;
}
