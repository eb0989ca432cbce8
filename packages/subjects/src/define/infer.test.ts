import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { c } from "./c.ts";
import { defineInterface } from "./define-interface.ts";
import { defineSubject } from "./define-subject.ts";
import { m } from "./m.ts";
import { mixin } from "./mixin.ts";
import { p } from "./p.ts";
import type { Infer } from "./subject-type.ts";

const Schedule = z.object({ weekday: z.number() });
const TemperatureSensor = defineInterface("test.infer.TemperatureSensor", {
  description: "Measures a temperature",
  props: { temperature: p.number({ unit: "DegreeCelsius" }) },
});
const Zone = defineSubject("test.infer.Zone", { props: { open: p.boolean() } });
const Relay = defineSubject("test.infer.Relay", { props: { on: p.boolean().writable() } });
const Thermostat = defineSubject("test.infer.Thermostat", {
  implements: [TemperatureSensor],
  props: {
    name: p.string().config(),
    temperature: p.number({ unit: "DegreeCelsius" }),
    target: p.number({ unit: "DegreeCelsius", min: 5, max: 30, step: 0.5 }).writable(),
    mode: p.enum(["off", "heat", "auto"]).writable(),
    schedule: p.of(Schedule).config(),
  },
  children: { zones: c.map(() => Zone), relay: c.one(() => Relay) },
  derived: {
    delta: (s) => s.target - s.temperature,
    anyOpen: (s) => [...s.zones.values()].some((zone) => zone.open),
  },
  methods: {
    setTarget: m.operation({ input: z.object({ temperature: z.number() }) }, (s, a) => {
      expectTypeOf(a.temperature).toEqualTypeOf<number>();
      s.target = a.temperature;
    }),
    diagnostics: m.query({}, (s) => ({ delta: s["delta"] })),
    plain: (s) => s.delta + 1,
  },
  title: (s) => `${s.name} ${s.delta.toFixed(1)}`,
  icon: "thermostat",
});
type Thermostat = Infer<typeof Thermostat>;

// @proves subjects.api.infer
test("property, enum, child, derived and argument types follow from one definition", () => {
  expectTypeOf<Thermostat["mode"]>().toEqualTypeOf<"off" | "heat" | "auto">();
  expectTypeOf<Thermostat["delta"]>().toEqualTypeOf<number>();
  expectTypeOf<Thermostat["anyOpen"]>().toEqualTypeOf<boolean>();
  expectTypeOf<Thermostat["schedule"]>().toEqualTypeOf<{ weekday: number }>();
  expectTypeOf<Thermostat["zones"]>().toEqualTypeOf<ReadonlyMap<string, Infer<typeof Zone>>>();
  expectTypeOf<Thermostat["relay"]>().toEqualTypeOf<Infer<typeof Relay> | null>();

  const hall = Thermostat.create({ name: "Hall", target: 20, mode: "heat" });
  hall.target = 21;
  hall.$on("target", (value) => expectTypeOf(value).toEqualTypeOf<number>());
  // @ts-expect-error outsiders may not write it, so it is read-only for everybody but its owner
  hall.temperature = 18;
  // @ts-expect-error not a member of the enum
  expect(() => (hall.mode = "boil")).toThrow("mode");
  expect(hall.delta).toBe(3);
});

// @proves subjects.api.infer
test("a wrong or absent interface member neither compiles nor runs", () => {
  const lacking = { props: { name: p.string() } };
  // @ts-expect-error temperature is missing
  const withoutIt = () => defineSubject("test.infer.T2", { implements: [TemperatureSensor], ...lacking });
  expect(withoutIt).toThrow("temperature is missing");
  const wrong = { props: { temperature: p.string() } };
  // @ts-expect-error temperature is text
  const withText = () => defineSubject("test.infer.T3", { implements: [TemperatureSensor], ...wrong });
  expect(withText).toThrow("temperature is string, but test.infer.TemperatureSensor says number");
});

test("a derived property can provide what an interface asks for", () => {
  const Doubled = defineSubject("test.infer.T4", {
    implements: [TemperatureSensor],
    props: { raw: p.number() },
    derived: { temperature: (s) => s.raw * 2 },
  });
  expect(Doubled.create({ raw: 4 }).temperature).toBe(8);
  expect(Doubled.create().$info.property("temperature")?.facets.unit).toBe("DegreeCelsius");
});

// @proves subjects.api.mixin
test("a mixin adds its properties, derived values and methods with their types", () => {
  const Battery = mixin({
    props: { level: p.number({ unit: "Percent" }) },
    derived: { isLow: (s) => s.level < 20 },
    methods: { charge: m.operation({}, () => "charging") },
  });
  const Remote = defineSubject("test.infer.Remote", { mixins: [Battery], props: { name: p.string() } });
  const remote = Remote.create({ name: "sofa", level: 10 });
  expectTypeOf(remote.isLow).toEqualTypeOf<boolean>();
  expect(remote.isLow).toBe(true);
  expect([...remote.$info.methods()].map(({ name }) => name)).toEqual(["charge"]);
});
