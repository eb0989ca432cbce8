import { createManualClock, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { unsent, type ExchangeResult } from "../bus/exchange-result.ts";
import { scan } from "./scan.ts";

const BASV2 = Uint8Array.from([0xb5, 0x42, 0x41, 0x53, 0x56, 0x32, 0x05, 0x07, 0x17, 0x04]);
const STUB = Uint8Array.of(0x00);

const sent = { transmissions: 1, acknowledged: false } as const;
const answer = (response: Uint8Array): ExchangeResult => ({
  outcome: "success",
  reason: "done",
  response,
  transmissions: 1,
  acknowledged: true,
});
const SILENCE: ExchangeResult = { outcome: "timeout", reason: "no_answer", ...sent };
const BAD: Readonly<Record<string, ExchangeResult>> = {
  "an echo that never came": { outcome: "timeout", reason: "no_echo", ...sent },
  "a changed echo": { outcome: "echo_mismatch", reason: "echo", ...sent },
  "a bus that was not to be had": unsent("arbitration"),
  "a damaged response": { outcome: "crc_mismatch", reason: "response_crc", transmissions: 1, acknowledged: true },
  "noise for an acknowledgement": { outcome: "nack", reason: "ack_position", ...sent },
  "an acknowledgement and no response": {
    outcome: "timeout",
    reason: "no_answer",
    transmissions: 1,
    acknowledged: true,
  },
  "an adapter that started over": { outcome: "timeout", reason: "adapter_reset", ...sent },
  "a lost link": { outcome: "timeout", reason: "disconnected", ...sent },
};

/** One address whose questions come to these results in turn, the last one for good. */
async function scanOne(
  identity: readonly ExchangeResult[],
  { serial = [answer(STUB)], known = false }: { serial?: readonly ExchangeResult[]; known?: boolean } = {},
) {
  const clock = createManualClock();
  const asked = { identity: 0, serial: 0 };
  const scanned = scan({
    read: async ({ primary }) => {
      const [which, results] = primary === 0x07 ? (["identity", identity] as const) : (["serial", serial] as const);
      const result = results[Math.min(asked[which], results.length - 1)];
      asked[which] += 1;
      return result ?? SILENCE;
    },
    clock,
    targets: [0x15],
    signal: new AbortController().signal,
    known: () => known,
  });
  await clock.advance(seconds(5));
  return { report: await scanned, asked };
}

test.each(Object.entries(BAD))("a device behind %s is asked again and found", async (_, bad) => {
  const { report, asked } = await scanOne([bad, bad, answer(BASV2)]);
  expect(report.found.map(({ deviceId }) => deviceId)).toEqual(["BASV2"]);
  expect(asked.identity).toBe(3);
});

test.each(Object.entries(BAD))("after three times %s nothing is known, and nobody is called silent", async (_, bad) => {
  const { report, asked } = await scanOne([bad]);
  expect(report).toEqual({ found: [], silent: [], undecided: [0x15] });
  expect(asked.identity).toBe(3);
});

test("an address nobody was ever heard at is asked once", async () => {
  const { report, asked } = await scanOne([SILENCE]);
  expect(report).toEqual({ found: [], silent: [0x15], undecided: [] });
  expect(asked.identity).toBe(1);
});

test("an address that is known to answer may miss two questions", async () => {
  const { report } = await scanOne([SILENCE, SILENCE, answer(BASV2)], { known: true });
  expect(report.found).toHaveLength(1);
  const never = await scanOne([SILENCE], { known: true });
  expect(never.report.silent).toEqual([0x15]);
  expect(never.asked.identity).toBe(3);
});

test("a piece of the serial number that was lost on the way is asked for again", async () => {
  const piece = (text: string): ExchangeResult => answer(Uint8Array.from([0, ...Buffer.from(text, "latin1")]));
  const lost = SILENCE;
  const serial = [piece("21231600"), lost, lost, piece("20260914"), piece("09530354"), piece("69N6    ")];
  const { report } = await scanOne([answer(BASV2)], { serial });
  expect(report.found[0]?.serial).toBe("21-23-16-0020260914-0953-035469-N6");
});

test("a device that refuses to tell its serial number is asked for it once", async () => {
  const refused: ExchangeResult = { outcome: "nack", reason: "refused", transmissions: 2, acknowledged: false };
  const { report, asked } = await scanOne([answer(BASV2)], { serial: [refused] });
  expect(report.found).toHaveLength(1);
  expect(asked.serial).toBe(1);
});
