import { createManualClock, silentLog, type Log } from "@steading/kernel";
import * as z from "zod";
import { c } from "../../define/c.ts";
import { defineInterface } from "../../define/define-interface.ts";
import { defineSubject } from "../../define/define-subject.ts";
import { m } from "../../define/m.ts";
import { p } from "../../define/p.ts";
import { createGraph } from "../../graph/create-graph.ts";
import type { Graph } from "../../graph/graph.ts";
import { SubjectError } from "../../subject-error.ts";
import type { Subject } from "../../instance/subject.ts";
import { declaredMethods, state } from "../../paths/path-providers.ts";
import { createSubjectTools, type SubjectTools } from "../create-subject-tools.ts";

import type { Configure } from "../tools-config.ts";

const TemperatureSensor = defineInterface("steading.sensors.TemperatureSensor", {
  description: "Measures a temperature",
  props: { temperature: p.number({ unit: "DegreeCelsius" }) },
});

const Motor = defineInterface("farm.drives.Motor", {
  description: "Turns something",
  props: { speed: p.integer({ unit: "Percent", min: 0, max: 100 }).writable() },
  methods: {
    turn: m.operation({ input: z.object({ degrees: z.number() }), output: z.boolean(), units: { degrees: "Degree" } }),
  },
});

const Marker = defineInterface("farm.Marker", { description: "Says nothing about itself" });

export const Fan = defineSubject("farm.Fan", {
  implements: [Motor],
  props: { speed: p.integer().writable() },
  methods: { turn: m.operation({ input: z.object({ degrees: z.number() }), output: z.boolean() }, () => true) },
});

export const Stall = defineSubject("farm.Stall", {
  implements: [Marker],
  props: { number: p.integer(), feed: p.enum(["hay", "Silage", "none"]).writable() },
});

const ClimateUnit = defineSubject("farm.ClimateUnit", {
  implements: [TemperatureSensor],
  props: {
    name: p.string().writable(),
    temperature: p.number({ unit: "DegreeCelsius" }),
    target: p.number({ unit: "DegreeCelsius", min: 5, max: 30, step: 0.5 }).writable(),
    active: p.boolean().writable(),
    offset: p.number().writable().nullable(),
    since: p.dateTime().writable(),
    serial: p.uuid().writable(),
    mode: p.enum(["off", "heat", "auto"]).writable(),
    pressure: p.number().attribute("Unit", p.string().default("Bar")),
    pin: p.string().config().secret().writable(),
  },
  children: { fan: c.one(() => Fan), spare: c.one(() => Fan) },
  derived: { delta: (unit) => unit.target - unit.temperature },
  methods: {
    calibrate: m.operation(
      {
        input: z.object({ temperature: z.number(), note: z.string().optional() }),
        title: "Calibrate",
        units: { temperature: "DegreeCelsius" },
      },
      (unit, { temperature }) => {
        unit.temperature = temperature;
      },
    ),
    diagnose: m.query({ output: z.object({ delta: z.number() }) }, (unit) => ({
      delta: unit.target - unit.temperature,
    })),
    explode: m.operation({}, () => {
      throw new Error("the pin is 4711");
    }),
    refuse: m.operation({}, () => {
      throw new SubjectError("The filter must be changed first.");
    }),
    reset: m.operation({ requiresConfirmation: true }, (unit) => {
      unit.target = 20;
      return "reset";
    }),
  },
  title: (unit) => unit.name,
  icon: "thermostat",
});

export const Barn = defineSubject("farm.Barn", {
  props: { name: p.string() },
  children: {
    climate: c.one(() => ClimateUnit),
    stalls: c.map(() => Stall),
    lamps: c.list(),
    more: c.map(undefined, { inline: true }),
  },
  title: (barn) => barn.name,
});

export const Farm = defineSubject("farm.Farm", {
  props: { name: p.string() },
  children: { barn: c.one(() => Barn), more: c.map(undefined, { inline: true }) },
});

export interface TestFarm {
  readonly graph: Graph;
  readonly tools: SubjectTools;
  readonly root: Subject;
  readonly climate: ReturnType<typeof ClimateUnit.create>;
  readonly barn: ReturnType<typeof Barn.create>;
}

export const packaged: Configure = (config) => {
  config.pathProvider = state();
  config.addMetadataProvider(declaredMethods());
};

/** `/barn/climate/fan` and `/barn/stalls[7]`, seen through the providers of the packaged product. */
export function openFarm(configure?: Configure, log: Log = silentLog): TestFarm {
  const climate = ClimateUnit.create({
    name: "North wall",
    temperature: 14.2,
    target: 21.5,
    active: false,
    offset: null,
    since: "2026-03-01T06:30:00Z",
    serial: "3f2b8c1e-0d4a-4c52-9b7e-2f6d8a1c5e90",
    mode: "heat",
    pressure: 1.5,
    pin: "4711",
    fan: Fan.create({ speed: 40 }),
  });
  const barn = Barn.create({ name: "Cow barn", climate, stalls: { "7": Stall.create({ number: 7, feed: "hay" }) } });
  const root = Farm.create({ name: "Hill farm", barn });
  const graph = createGraph({ clock: createManualClock(), log, root });
  const tools = createSubjectTools(root, (config) => {
    packaged(config);
    configure?.(config);
  });
  return { graph, tools, root, climate, barn };
}
