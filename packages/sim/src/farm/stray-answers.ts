/** What a gateway still has lying about from earlier questions, to be sent in front of an answer. */
export interface StrayAnswers {
  remember(frame: Uint8Array): void;
  /** An old answer to stand before this one; undefined when there is none that a master could tell apart. */
  before(frame: Uint8Array): Uint8Array | undefined;
}

/** Modbus TCP: every answer carries the number of its question, so any old one can be told apart. */
export function createNumberedStrays(): StrayAnswers {
  let last: Uint8Array | undefined;
  return {
    remember: (frame) => void (last = frame),
    before: () => last,
  };
}

/**
 * RTU has no numbers. An old answer of the same unit to the same function looks like the right one to anybody, so the
 * stray is the newest of another unit or another function.
 */
export function createRtuStrays(): StrayAnswers {
  let last: Uint8Array | undefined;
  let lastOfAnother: Uint8Array | undefined;
  return {
    remember(frame) {
      if (last !== undefined && !looksAlike(last, frame)) lastOfAnother = last;
      last = frame;
    },
    before(frame) {
      return last !== undefined && !looksAlike(last, frame) ? last : lastOfAnother;
    },
  };
}

/** The same unit, and the same function whether it was carried out or refused. */
function looksAlike(one: Uint8Array, other: Uint8Array): boolean {
  return one[0] === other[0] && ((one[1] ?? 0) & 0x7f) === ((other[1] ?? 0) & 0x7f);
}
