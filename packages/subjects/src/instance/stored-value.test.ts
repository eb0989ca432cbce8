import fc from "fast-check";
import { expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import { createManualClock, silentLog } from "@steading/kernel";
import { createGraph } from "../graph/create-graph.ts";

const Mixed = defineSubject("test.stored.Mixed", {
  props: {
    label: p.string().nullable(),
    level: p.number().nullable(),
    anything: p.unknown().nullable(),
    count: p.integer().nullable(),
    preset: p.number().default(7).nullable(),
  },
  derived: { twice: (s) => (s.level === null ? "none" : s.level * 2) },
});

const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 0.1));
const write = fc.oneof(
  fc.record({ property: fc.constant("level" as const), value: fc.option(number) }),
  fc.record({ property: fc.constant("preset" as const), value: fc.option(number) }),
  fc.record({ property: fc.constant("count" as const), value: fc.option(fc.integer()) }),
  fc.record({ property: fc.constant("label" as const), value: fc.option(fc.string()) }),
  fc.record({ property: fc.constant("anything" as const), value: fc.oneof(number, fc.string(), fc.constant(null)) }),
);

/** `0` and `-0` are one value, and so is NaN. */
const same = (a: unknown, b: unknown): boolean => a === b || (a !== a && b !== b);

test("whatever is written, numbers, texts, null and NaN in turn, is read back, and listeners hear what was and what is", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40 }), fc.boolean(), fc.boolean(), (writes, isAttached, isObserved) => {
      const subject = Mixed.create();
      expect(subject.preset).toBe(7);
      const graph = createGraph({ clock: createManualClock(), log: silentLog });
      if (isAttached) graph.attach("/", "it", subject);
      if (isObserved) graph.onChange(() => {});
      const model: Record<string, unknown> = { label: null, level: null, anything: null, count: null, preset: 7 };
      for (const { property, value } of writes) {
        const heard: unknown[][] = [];
        const cancel = subject.$on(property, (now: unknown, old: unknown) => heard.push([old, now]));
        const old = model[property];
        subject.$set(property, value);
        cancel();
        if (isAttached && !same(old, value)) expect(heard).toEqual([[old, value]]);
        else expect(heard).toEqual([]);
        if (!same(old, value)) model[property] = value;
        for (const [name, wanted] of Object.entries(model)) expect(subject.$get(name)).toEqual(wanted);
        const { level } = subject;
        expect(subject.twice).toEqual(level === null ? "none" : level * 2);
      }
    }),
  );
});

test("a number gained at run time is kept like the others, and its place can be taken by a text", () => {
  const subject = Mixed.create({ level: 1.5 });
  const graph = createGraph({ clock: createManualClock(), log: silentLog });
  graph.attach("/", "it", subject);
  graph.registry.addProperty(subject, "extra", p.number(), 2.5);
  expect(subject.$get("extra")).toBe(2.5);
  subject.$set("extra", 3.5);
  expect(graph.get("/it/extra")).toBe(3.5);
  graph.registry.removeProperty(subject, "extra");
  graph.registry.addProperty(subject, "words", p.string(), "text");
  expect([subject.$get("words"), subject.level]).toEqual(["text", 1.5]);
});
