import { test, expectTypeOf } from "vitest";
import * as z from "zod";
import { defineInterface } from "./define-interface.ts";
import { defineSubject } from "./define-subject.ts";
import type { Infer } from "./subject-type.ts";
import { p } from "./p.ts"; import { c } from "./c.ts"; import { m } from "./m.ts";

test("types", () => {
const mySchema = z.object({ a: z.number() });
const TemperatureSensor = defineInterface('steading.sensors.TemperatureSensor', {
  description: 'Measures a temperature', props: { temperature: p.number({ unit: 'DegreeCelsius' }) } });
const Zone = defineSubject("acme.Zone", { props: { open: p.boolean() } });
const Relay = defineSubject("acme.Relay", { props: { on: p.boolean().writable() } });
const Thermostat = defineSubject('acme.Thermostat', {
  implements: [TemperatureSensor],
  props: {
    name: p.string().config(),
    temperature: p.number({ unit: 'DegreeCelsius' }),
    target: p.number({ unit: 'DegreeCelsius', min: 5, max: 30, step: 0.5 }).writable(),
    mode: p.enum(['off', 'heat', 'auto']).writable(),
    schedule: p.of(mySchema).config(),
  },
  children: { zones: c.map(() => Zone), relay: c.one(() => Relay) },
  derived: { delta: s => s.target - s.temperature, anyOpen: s => [...s.zones.values()].some(z => z.open) },
  methods: {
    setTarget: m.operation({ input: z.object({ temperature: z.number() }) }, (s, a) => { s.target = a.temperature; s.temperature = 3 }),
    diagnostics: m.query({}, s => ({ delta: s["delta"] })),
    bare: (s) => s.delta,
  },
  title: s => s.name, icon: 'thermostat',
});
type Thermostat = Infer<typeof Thermostat>;
expectTypeOf<Thermostat["mode"]>().toEqualTypeOf<"off" | "heat" | "auto">();
expectTypeOf<Thermostat["delta"]>().toEqualTypeOf<number>();
expectTypeOf<Thermostat["anyOpen"]>().toEqualTypeOf<boolean>();
expectTypeOf<Thermostat["schedule"]>().toEqualTypeOf<{ a: number }>();
const hall = Thermostat.create({ name: 'Hall', target: 20, mode: 'heat' });
hall.target = 3;
// @ts-expect-error read-only
hall.temperature = 3;
hall.$on("target", (v) => v.toFixed());
// @ts-expect-error missing
defineSubject("acme.T2", { implements: [TemperatureSensor], props: { name: p.string() } });
// @ts-expect-error mistyped
defineSubject("acme.T3", { implements: [TemperatureSensor], props: { temperature: p.string() } });
const T4 = defineSubject("acme.T4", { implements: [TemperatureSensor], props: { raw: p.number() }, derived: { temperature: s => s.raw * 2 } });
T4.create({});
const T5 = defineSubject("acme.T5", { implements: [TemperatureSensor], props: { raw: p.number() }, derived: { heat: s => s.raw * 2 } });
// @ts-expect-error not met
T5.create({});
});
