import { seconds, type Cancel, type Clock, type Part } from "@steading/kernel";
import { c, defineInterface, defineSubject, m, p, type Graph } from "@steading/subjects";
import * as z from "zod";

/** As many subjects as a real place has, so that limits, cursors and filters can be tried on something. */
const BEDS = 1_000;
const STEP = seconds(5);

const TemperatureSensor = defineInterface("steading.sensors.TemperatureSensor", {
  description: "Measures a temperature",
  props: { temperature: p.number({ unit: "DegreeCelsius" }) },
});
const HumiditySensor = defineInterface("steading.sensors.HumiditySensor", {
  description: "Measures the humidity of the air",
  props: { humidity: p.number({ unit: "Percent" }) },
});
const Thermostat = defineSubject("steading.demo.Thermostat", {
  implements: [TemperatureSensor],
  description: "Keeps a room at its target",
  props: {
    temperature: p.number({ unit: "DegreeCelsius" }).history(),
    target: p.number({ unit: "DegreeCelsius", min: 5, max: 30, step: 0.5 }).writable(),
  },
  methods: {
    SetTarget: m.operation(
      { input: z.object({ temperature: z.number().min(5).max(30) }) },
      (thermostat, { temperature }) => {
        thermostat.target = temperature;
      },
    ),
    TurnOff: m.operation({}, (thermostat) => {
      thermostat.target = 5;
    }),
  },
  title: "Thermostat",
  icon: "thermostat",
});
const Room = defineSubject("steading.demo.Room", {
  implements: [TemperatureSensor, HumiditySensor],
  description: "A virtual room",
  props: {
    name: p.string().config(),
    temperature: p.number({ unit: "DegreeCelsius" }).history(),
    humidity: p.number({ unit: "Percent" }),
  },
  children: { thermostat: c.one(() => Thermostat) },
  methods: {
    Calibrate: m.operation({ input: z.object({ temperature: z.number() }) }, (room, { temperature }) => {
      room.$set("temperature", temperature);
    }),
  },
  title: (room) => room.name,
  icon: "weekend",
});
const Bed = defineSubject("steading.demo.Bed", {
  description: "A virtual garden bed",
  props: { moisture: p.number({ unit: "Percent" }), watered: p.boolean().writable() },
  icon: "grass",
});
const Home = defineSubject("steading.demo.Home", {
  description: "The demo's virtual home",
  children: { livingRoom: c.one(() => Room), bedroom: c.one(() => Room), thermostat: c.one(() => Thermostat) },
  title: "Sample home",
  icon: "home",
});
const Garden = defineSubject("steading.demo.Garden", {
  description: "The demo's virtual garden",
  children: { beds: c.map(() => Bed) },
  title: "Sample garden",
  icon: "yard",
});

/**
 * A house with two rooms, named as in the examples of the subject tools, and a garden of a thousand beds, inside the
 * hub and behind no device: something to browse, search and watch. The bedroom follows its thermostat, slowly.
 */
export function createSampleHome({ graph, clock }: { readonly graph: Graph; readonly clock: Clock }): Part {
  const thermostat = Thermostat.create({ temperature: 19.2, target: 20 });
  const hall = Thermostat.create({ temperature: 21.5, target: 22 });
  const bedroom = Room.create({ name: "Bedroom", temperature: 19.2, humidity: 50, thermostat });
  const livingRoom = Room.create({ name: "Living Room", temperature: 21.5, humidity: 45 });
  const beds = Object.fromEntries(
    Array.from({ length: BEDS }, (_, n) => [`bed-${n}`, Bed.create({ moisture: 20 + (n % 60), watered: false })]),
  );
  let next: Cancel | undefined;

  function live(): void {
    const { temperature, target } = thermostat;
    const warmer = Math.round((temperature + (target - temperature) * 0.05) * 100) / 100;
    graph.batch(() => {
      thermostat.$set("temperature", warmer);
      bedroom.$set("temperature", warmer);
    });
    next = clock.timer(STEP, live);
  }

  return {
    name: "sample-home",
    toolsets: [],
    async start() {
      if (next) return;
      graph.attach("/", "home", Home.create({ livingRoom, bedroom, thermostat: hall }));
      graph.attach("/", "garden", Garden.create({ beds }));
      live();
    },
    async stop() {
      next?.();
      next = undefined;
    },
    health: () => ({ status: "ok" }),
  };
}
