export interface SubjectToolLimits {
  maxDepth: number;
  maxSubjects: number;
  maxResponseChars: number;
}

export const DEFAULT_LIMITS: Readonly<SubjectToolLimits> = {
  maxDepth: 10,
  maxSubjects: 100,
  maxResponseChars: 100_000,
};

/** How much of one value a listing shows. `get_property` shows text up to its own, larger limit. */
export const LISTED_TEXT_CHARS = 500;
export const LISTED_LIST_ITEMS = 50;
export const READ_TEXT_CHARS = 20_000;

/** Paths, cursors and names beyond this are refused unread: nothing we print is longer than a few thousand characters. */
export const MAX_PATH_CHARS = 1_000_000;

/** Larger values are refused: a property is a value, not a file. */
export const MAX_VALUE_CHARS = 1_000_000;
