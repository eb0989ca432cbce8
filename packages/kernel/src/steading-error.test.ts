import { expect, test } from "vitest";
import { errorsFrom, SteadingError } from "./steading-error.ts";

const table = { BUSY: { retryable: true, hint: "Wait." }, WRONG: { retryable: false } } as const;
const error = errorsFrom(table);

// @proves kernel.error.shape kernel.error.keeps-cause kernel.error.one-class
test("an error has code, sentence and retryable from its table, and keeps its cause", () => {
  const cause = new Error("inner");
  const busy = error("BUSY", "It is busy.", { details: { waiting: 3 }, cause });
  expect(busy).toBeInstanceOf(SteadingError);
  expect(busy).toMatchObject({
    name: "SteadingError",
    code: "BUSY",
    message: "It is busy.",
    retryable: true,
    hint: "Wait.",
    cause,
  });
  expect(error("WRONG", "It is wrong.")).toMatchObject({ retryable: false, hint: undefined, details: undefined });
  expect(error("BUSY", "It is busy.", { retryable: false, hint: "Do not." })).toMatchObject({
    retryable: false,
    hint: "Do not.",
  });
});

test("on the wire the sentence, code and hint win over details of the same name, and the cause stays at home", () => {
  const busy = error("BUSY", "It is busy.", {
    details: { waiting: 3, code: "FAKE", error: "FAKE" },
    cause: new Error("secret"),
  });
  expect(busy.toJson()).toEqual({ waiting: 3, error: "It is busy.", code: "BUSY", hint: "Wait.", retryable: true });
  expect(error("WRONG", "It is wrong.").toJson()).toEqual({ error: "It is wrong.", code: "WRONG" });
});
