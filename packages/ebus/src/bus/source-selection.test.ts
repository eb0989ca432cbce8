import { expect, test } from "vitest";
import { unsent, type ExchangeResult } from "./exchange-result.ts";
import { selectSource } from "./source-selection.ts";

const ANSWERED: ExchangeResult = { outcome: "success", reason: "done", transmissions: 1, acknowledged: true };
const SILENT: ExchangeResult = { outcome: "timeout", reason: "no_answer", transmissions: 1, acknowledged: false };

/** A bus with these initiators heard and these targets answering. */
async function choose({
  configured,
  heard = [],
  answering = [0x15],
  known = [0x15],
}: {
  readonly configured?: number;
  readonly heard?: readonly number[];
  readonly answering?: readonly number[];
  readonly known?: readonly number[];
}) {
  const probes: (readonly [number, number])[] = [];
  const selection = await selectSource({
    ...(configured !== undefined && { configured }),
    heard: (source) => heard.includes(source),
    knownTargets: known,
    identify: async (source, target) => {
      probes.push([source, target]);
      return answering.includes(target) ? ANSWERED : SILENT;
    },
  });
  return { selection, probes };
}

// @proves ebus.source.proved
test("71 is taken when its companion is silent and a known target answers it", async () => {
  const { selection, probes } = await choose({});
  expect(selection).toEqual({ source: 0x71, probes: 2, rejected: [] });
  expect(probes).toEqual([
    [0x71, 0x76],
    [0x71, 0x15],
  ]);
});

// @proves ebus.source.order ebus.source.rejected-when-heard
test("addresses that were heard are passed over in the fixed order, the configured one first", async () => {
  const order = [0x71, 0xff, 0x7f, 0x3f, 0x1f, 0xf7, 0x77, 0x37, 0x17, 0x07, 0x11, 0x31, 0x00];
  for (let taken = 0; taken < order.length; taken += 1) {
    const { selection } = await choose({ heard: order.slice(0, taken) });
    expect(selection.source).toBe(order[taken]);
  }
  expect((await choose({ configured: 0x31 })).selection.source).toBe(0x31);
  const { selection } = await choose({ configured: 0x31, heard: [0x31] });
  expect(selection.source).toBe(0xff);
  expect(selection.rejected).toEqual([{ source: 0x31, why: "heard" }]);
});

// @proves ebus.source.rejected-when-companion-answers
test("an address whose companion answers belongs to somebody", async () => {
  const { selection } = await choose({ answering: [0x15, 0x76, 0x04] });
  expect(selection).toMatchObject({
    source: 0x7f,
    rejected: [
      { source: 0x71, why: "companion" },
      { source: 0xff, why: "companion" },
    ],
  });
});

test("a probe that never got the bus proves nothing", async () => {
  const selection = await selectSource({
    heard: () => false,
    knownTargets: [0x15],
    identify: async () => unsent("arbitration"),
  });
  expect(selection.source).toBeUndefined();
});

// @proves ebus.source.probe-limit
test("after fifteen probes it is given up", async () => {
  const { selection, probes } = await choose({ answering: [], known: [0x15, 0x08, 0x26] });
  expect(selection).toMatchObject({ source: undefined, probes: 15 });
  expect(probes).toHaveLength(15);
});
