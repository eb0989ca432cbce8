import fc from "fast-check";

const TROUBLE = [
  "%",
  "/",
  "[",
  "]",
  "@",
  "$",
  ".",
  "..",
  " ",
  "%2F",
  "%zz",
  "ä",
  "日",
  "🚜",
  "\u0000",
  "\n",
  "\u007f",
  "\u0085",
  "\u2028",
  "__proto__",
  "constructor",
  "name",
  "value@x",
  "children",
  "\\",
  '"',
  "'",
  "#",
  "?",
  "&",
  ":",
  "0",
  "01",
  "-1",
];

/** Text with everything that has ever broken a path; well-formed Unicode, because that is all that JSON can carry. */
export const awkwardText = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...TROUBLE),
        fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join("").toWellFormed());
