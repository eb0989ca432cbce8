import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createExchangeTracker, type ExchangeTracker } from "./exchange-tracker.ts";
import type { Exchange } from "./exchange.ts";
import { fromHex } from "./hex.ts";

function follow(wire: string, tracker: ExchangeTracker = createExchangeTracker()): Omit<Exchange, "order"> | undefined {
  let ended: Omit<Exchange, "order"> | undefined;
  for (const symbol of fromHex(wire)) {
    const step = tracker.push(symbol, 0, "test");
    if (step.kind === "syn" && step.ended !== undefined) ended = step.ended;
  }
  return ended;
}

const QUESTION = "71 15 07 04 00 19";
const ANSWER = "0A B5 42 41 53 56 32 05 07 17 04";

describe("an exchange on the wire", () => {
  test("answered and acknowledged", () => {
    expect(follow(`AA ${QUESTION} 00 ${ANSWER} 71 00 AA`)).toMatchObject({
      outcome: "done",
      source: 0x71,
      target: 0x15,
      commands: ["71 15 07 04 00"],
      acks: ["00"],
      responses: [ANSWER],
      finalAcks: ["00"],
    });
  });

  test("the command refused once, the response refused once", () => {
    const ended = follow(`${QUESTION} FF ${QUESTION} 00 ${ANSWER} 70 FF ${ANSWER} 71 00 AA`);
    expect(ended).toMatchObject({ outcome: "done", acks: ["FF", "00"], finalAcks: ["FF", "00"] });
    expect(ended?.commands).toHaveLength(2);
    expect(ended?.responses).toHaveLength(2);
  });

  test.each([
    ["nack", `${QUESTION} FF ${QUESTION} FF AA`],
    ["nack", `${QUESTION} FF AA`],
    ["no-ack", `${QUESTION} AA`],
    ["no-response", `${QUESTION} 00 AA`],
    ["no-response", `${QUESTION} 00 0A B5 42 AA`],
    ["no-final-ack", `${QUESTION} 00 ${ANSWER} 71 AA`],
    ["response-refused", `${QUESTION} 00 ${ANSWER} 70 FF ${ANSWER} 70 FF AA`],
    ["protocol", `${QUESTION} 55 AA`],
    ["protocol", `${QUESTION} 00 ${ANSWER} 71 00 00 AA`],
    ["fragment", "71 AA"],
    ["fragment", "71 15 07 AA"],
    ["done", "31 FE 07 FE 00 35 AA"],
    ["crc", "31 FE 07 FE 00 36 AA"],
    ["done", "31 10 07 FF 00 5D 00 AA"],
    ["protocol", "71 15 B5 24 20 AA"],
  ] as const)("ends as %s: %s", (outcome, wire) => {
    expect(follow(wire)?.outcome).toBe(outcome);
  });

  test("a SYN among SYN is nothing", () => {
    expect(follow("AA AA AA")).toBeUndefined();
  });

  test("whatever came before, the exchange after a SYN is understood", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 400 }), (garbage) => {
        const tracker = createExchangeTracker();
        for (const symbol of garbage) tracker.push(symbol, 0, "garbage");
        expect(follow(`AA ${QUESTION} 00 ${ANSWER} 71 00 AA`, tracker)?.outcome).toBe("done");
      }),
    );
  });
});
