// How often damage on the wire makes a telegram that nobody sent, in telegrams a million damaged ones. An eight-bit checksum lets
// one in 256 random changes pass; the decoder may be worse than that in no row. No peer: the limit is the checksum's own.
import { falseTelegrams, KINDS_OF_DAMAGE } from "../test/support/ebus-damage.ts";

const TELEGRAMS = 400_000;
const LIMIT = 1 / 256;

console.log(
  `node ${process.version}; ${TELEGRAMS} telegrams a row; limit of the checksum 1/256 = ${(LIMIT * 1e6).toFixed(0)} in a million`,
);
console.log(
  `${"damage to each telegram".padEnd(36)}${"false".padStart(10)}${"in a million".padStart(16)}${"of the limit".padStart(16)}`,
);
for (const damage of KINDS_OF_DAMAGE) {
  const wrong = falseTelegrams({ damage, telegrams: TELEGRAMS, seed: 3 });
  const rate = wrong / TELEGRAMS;
  console.log(
    `${damage.padEnd(36)}${String(wrong).padStart(10)}${(rate * 1e6).toFixed(0).padStart(16)}${`${((rate / LIMIT) * 100).toFixed(1)} %`.padStart(16)}`,
  );
}
process.exit(0);
