import fc from "fast-check";
import { expect, test } from "vitest";
import { createBlockPlan, type Block } from "./block-plan.ts";
import { RegisterMapping, toMetric, type Metric } from "./register-mapping.ts";

const metrics = (...mappings: object[]): Metric[] => mappings.map((each) => toMetric(RegisterMapping.parse(each)));
const spans = (blocks: readonly Block[]): string[] => blocks.map((b) => `${b.fc}:${b.address}+${b.quantity}`);

// @proves farm.schedule.block-reads
test("neighbours are read together across gaps of two, each function for itself", () => {
  const plan = createBlockPlan(
    metrics(
      { register: 10 },
      { register: 1, dataType: "float32" },
      { register: 5 },
      { register: 9, type: "input" },
      { register: 0, type: "coil" },
    ),
  );
  expect(spans(plan.blocks)).toEqual(["1:0+1", "3:1+5", "3:10+1", "4:9+1"]);
});

// @proves farm.schedule.block-reads
test("a block has at most 100 registers or 2000 bits, and every metric is in exactly one", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ register: fc.nat(400), fc: fc.constantFrom(1, 3) }), { maxLength: 300 }),
      (all) => {
        const given = metrics(...all.map(({ register, fc: functionCode }) => ({ register, functionCode })));
        const { blocks } = createBlockPlan(given);
        for (const { fc: code, quantity } of blocks) expect(quantity).toBeLessThanOrEqual(code === 1 ? 2_000 : 100);
        expect(blocks.flatMap((block) => block.metrics)).toHaveLength(given.length);
        for (const block of blocks) {
          for (const { address, quantity } of block.metrics) {
            expect(address).toBeGreaterThanOrEqual(block.address);
            expect(address + quantity).toBeLessThanOrEqual(block.address + block.quantity);
          }
        }
      },
    ),
  );
});

// @proves farm.schedule.block-split
test("a refused block is split at its holes, then singly, and the plan remembers it", () => {
  const plan = createBlockPlan(metrics({ register: 0 }, { register: 1 }, { register: 4 }));
  const [whole] = plan.blocks;
  if (!whole) throw new Error("A block was expected.");
  expect(spans(plan.refused(whole))).toEqual(["3:0+2", "3:4+1"]);
  const [pair] = plan.blocks;
  if (!pair) throw new Error("A block was expected.");
  expect(spans(plan.refused(pair))).toEqual(["3:0+1", "3:1+1"]);
  expect(spans(plan.blocks)).toEqual(["3:0+1", "3:1+1", "3:4+1"]);
  const [single] = plan.blocks;
  if (!single) throw new Error("A block was expected.");
  expect(plan.refused(single)).toEqual([]);
  expect(plan.blocks).toHaveLength(3);
});

// @proves farm.schedule.block-timeout
test("silence splits a block only after three cycles in a row", () => {
  const plan = createBlockPlan(metrics({ register: 0 }, { register: 2 }));
  const [whole] = plan.blocks;
  if (!whole) throw new Error("A block was expected.");
  plan.silent(whole);
  plan.silent(whole);
  plan.answered(whole);
  plan.silent(whole);
  plan.silent(whole);
  expect(plan.blocks).toEqual([whole]);
  plan.silent(whole);
  expect(spans(plan.blocks)).toEqual(["3:0+1", "3:2+1"]);
});
