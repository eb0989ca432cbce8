import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeAnswer } from "./lamp-answer.ts";
import { toBytes } from "./lamp-request.ts";

test("requests are the bytes of the protocol page", () => {
  expect([...toBytes("on")]).toEqual([0x31, 0x0a]);
  expect([...toBytes("off")]).toEqual([0x30, 0x0a]);
  expect([...toBytes("read")]).toEqual([0x3f, 0x0a]);
  expect([...toBytes("count")]).toEqual([0x23, 0x0a]);
});

test("each request accepts its own answers only", () => {
  const decode = (request: "on" | "read" | "count", text: string) => decodeAnswer(request, { kind: "line", text });
  expect(decode("on", "A")).toEqual({ ok: true, answer: { kind: "accepted" } });
  expect(decode("on", "1")).toEqual({ ok: false, problem: "not an answer" });
  expect(decode("read", "1")).toEqual({ ok: true, answer: { kind: "state", on: true } });
  expect(decode("read", "0")).toEqual({ ok: true, answer: { kind: "state", on: false } });
  expect(decode("read", "A")).toEqual({ ok: false, problem: "not an answer" });
  expect(decode("count", "N0")).toEqual({ ok: true, answer: { kind: "count", switches: 0 } });
  expect(decode("count", "N-1")).toEqual({ ok: false, problem: "not an answer" });
  expect(decode("read", "E")).toEqual({ ok: true, answer: { kind: "refused" } });
});

test("any line is a value, never an exception", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("on" as const, "off" as const, "read" as const, "count" as const),
      fc.string(),
      (request, text) => {
        expect(typeof decodeAnswer(request, { kind: "line", text }).ok).toBe("boolean");
      },
    ),
  );
  expect(decodeAnswer("on", { kind: "overlong", bytes: 40 })).toEqual({
    ok: false,
    problem: "overlong line",
  });
});
