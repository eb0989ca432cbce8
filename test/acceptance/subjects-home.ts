import { createDispatcher, createRealClock, silentLog, type Toolset } from "@steading/kernel";
import { createTrialDoor } from "@steading/kernel/testing";
import { createServer } from "@steading/server";
import {
  c,
  createGraph,
  defineInterface,
  defineSubject,
  m,
  p,
  type Graph,
  type SubjectTools,
} from "@steading/subjects";
import * as z from "zod";
import type { Connection } from "../support/mcp-clients.ts";

const TemperatureSensor = defineInterface("home.abstractions.sensors.TemperatureSensor", {
  description: "Provides temperature readings",
  props: { temperature: p.number({ unit: "DegreeCelsius" }) },
});
const HumiditySensor = defineInterface("home.abstractions.sensors.HumiditySensor", {
  description: "Provides humidity readings",
  props: { humidity: p.number({ unit: "Percent" }) },
});
const Controllable = defineInterface("home.abstractions.devices.Controllable", {
  description: "Can be told what to do",
  methods: { setTarget: m.operation({ input: z.object({ temperature: z.number() }) }), turnOff: m.operation({}) },
});

const Thermostat = defineSubject("home.Thermostat", {
  implements: [TemperatureSensor, Controllable],
  props: {
    temperature: p.number({ unit: "DegreeCelsius" }),
    target: p.number({ unit: "DegreeCelsius", min: 5, max: 30, step: 0.5 }).writable(),
  },
  methods: {
    setTarget: m.operation({ input: z.object({ temperature: z.number() }) }, (thermostat, { temperature }) => {
      thermostat.target = temperature;
    }),
    turnOff: m.operation({}, (thermostat) => {
      thermostat.target = 5;
    }),
  },
  title: "Thermostat",
});
const Room = defineSubject("home.Room", {
  implements: [TemperatureSensor, HumiditySensor],
  props: {
    name: p.string().config(),
    temperature: p.number({ unit: "DegreeCelsius" }),
    humidity: p.number({ unit: "Percent" }),
  },
  children: { thermostat: c.one(() => Thermostat) },
  methods: { calibrate: m.operation({}, () => undefined) },
  title: (room) => room.name,
  icon: "weekend",
});
const Bed = defineSubject("home.Bed", {
  props: { moisture: p.number({ unit: "Percent" }), watered: p.boolean().writable() },
});
const Home = defineSubject("home.Home", {
  children: { livingRoom: c.one(() => Room), bedroom: c.one(() => Room), beds: c.map(() => Bed) },
});
const Site = defineSubject("home.Site", { children: { home: c.one(() => Home) } });

export const BEDS = 1_000;

/** A house with two rooms, and a garden of a thousand beds: a thousand and five subjects below the root. */
export function createHomeGraph(): Graph {
  const beds = Object.fromEntries(
    Array.from({ length: BEDS }, (_, n) => [`bed-${n}`, Bed.create({ moisture: n % 100, watered: false })]),
  );
  const bedroom = Room.create({
    name: "Bedroom",
    temperature: 19.2,
    humidity: 50,
    thermostat: Thermostat.create({ temperature: 19.2, target: 20 }),
  });
  const livingRoom = Room.create({ name: "Living Room", temperature: 21.5, humidity: 45 });
  const root = Site.create({ home: Home.create({ livingRoom, bedroom, beds }) });
  return createGraph({ clock: createRealClock(), log: silentLog, root });
}

export interface ServedTools {
  readonly connection: Connection;
  close(): Promise<void>;
}

/** The toolsets on a real socket, as the product serves them, with the kernel's own door behind. */
export async function serveTools(
  tools: Toolset & Partial<Pick<SubjectTools, "extras" | "resources">>,
): Promise<ServedTools> {
  const clock = createRealClock();
  const { door } = createTrialDoor();
  const toolsets: readonly Toolset[] = tools.extras === undefined ? [tools] : [tools, tools.extras];
  const server = createServer({
    dispatcher: createDispatcher({ toolsets, door, clock, log: silentLog }),
    resources: tools.resources === undefined ? [] : [tools.resources],
    authenticator: { authenticate: (token) => Promise.resolve({ principal: token, role: "operator" }) },
    info: { name: "home", title: "Home", version: "1.0.0" },
    instructions: "A house to test with.",
    clock,
    log: silentLog,
    health: () => ({ status: "ok" }),
  });
  const { url } = await server.listen({ host: "127.0.0.1", port: 0, setting: "port" });
  return { connection: { over: "http", mcp: `${url}/mcp`, token: "anna" }, close: () => server.close() };
}
