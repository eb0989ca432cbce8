import { once } from "node:events";
import { shedRelays } from "@steading/farm/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { startFarmPlace, type FarmPlace } from "../support/farm-place.ts";

interface Frame {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly timestamp: string;
}

let place: FarmPlace;
beforeAll(async () => void (place = await startFarmPlace()));
afterAll(() => place.close());

const EMAIL = { email: "first@farm.example", password: "seven herons at dusk", name: "First" };
const post = (path: string, body: object, token?: string) =>
  fetch(`${place.core}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });

// @proves farm.auth.setup
test("the first user is made by setup, which answers with a token that stands", async () => {
  const made = await post("/api/auth/setup", EMAIL);
  expect(made.status).toBe(201);
  const { token, user } = (await made.json()) as { token: string; user: object };
  expect(user).toMatchObject({ email: "first@farm.example", name: "First", role: "admin" });
  const session = await fetch(`${place.core}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } });
  expect(session.status).toBe(200);
});

/** A socket and everything that came over it. */
async function open(options: { token?: string; protocols?: string[] } = {}) {
  const { token, protocols = [] } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${place.core.replace("http", "ws")}/ws`, protocols, { headers });
  const frames: Frame[] = [];
  let arrived = (): void => {};
  socket.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Frame);
    arrived();
  });
  await once(socket, "open");
  const next = async (type: string): Promise<Frame> => {
    for (;;) {
      const found = frames.findIndex((frame) => frame.type === type);
      const [frame] = found < 0 ? [] : frames.splice(0, found + 1).slice(-1);
      if (frame) return frame;
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  };
  return { socket, frames, next };
}

// @proves farm.socket.frames farm.socket.ping farm.socket.auth-ways
test("a token comes in a header, as a subprotocol or in the first message; then frames come", async () => {
  const token = await place.login("viewer");
  const ways = [await open({ token }), await open({ protocols: ["bearer", token] }), await open()];
  const [, , last] = ways;
  last?.socket.send(JSON.stringify({ type: "auth", token }));
  for (const { socket, next } of ways) {
    const first = await next("connected");
    expect(first).toMatchObject({ type: "connected", data: {}, timestamp: expect.stringMatching(/Z$/) as unknown });
    socket.send(JSON.stringify({ type: "ping" }));
    await next("pong");
    socket.close();
  }
});

test("a wrong token opens nothing, and a first message without one ends the socket", async () => {
  await expect(open({ token: "wrong" })).rejects.toThrow(/401/);
  const { socket, frames } = await open();
  socket.send(JSON.stringify({ type: "ping" }));
  const [code] = (await once(socket, "close")) as [number];
  expect(code).toBe(1008);
  expect(frames).toEqual([]);
});

// @proves farm.socket.equipment-events farm.socket.relay-state farm.socket.sensor-reading farm.socket.new-alert farm.socket.automation-executed
test("what happens on the farm is told as it happens", async () => {
  const token = await place.login("operator");
  const { socket, next } = await open({ token });
  const { core } = place.part;
  const equipment = await core.book.create(shedRelays(place.addresses), "test");
  expect((await next("equipment_created")).data).toMatchObject({ id: equipment.id, enabled: 1 });
  await core.book.update(equipment.id, { name: "Relays" }, "test");
  expect((await next("equipment_updated")).data).toMatchObject({ name: "Relays" });
  await post(`/api/equipment/${equipment.id}/relay/control`, { channel: 0, state: true }, token);
  const isCommand = (frame: Frame): boolean => "channel" in frame.data;
  let relay = await next("relay_state_changed");
  while (!isCommand(relay)) relay = await next("relay_state_changed");
  expect(relay.data).toEqual({
    equipmentId: equipment.id,
    channel: 0,
    state: true,
    writeOnly: false,
    confirmed: true,
    source: "manual",
  });
  await post(`/api/equipment/${equipment.id}/readings`, { name: "flow", value: 12.5, unit: "l/min" }, token);
  expect((await next("sensor_reading")).data).toMatchObject({
    equipment_id: equipment.id,
    equipment_name: "Relays",
    name: "flow",
    value: 12.5,
    unit: "l/min",
  });
  await post("/api/alerts", { severity: "warning", message: "Low" }, token);
  expect((await next("new_alert")).data).toMatchObject({ severity: "warning", message: "Low", acknowledged: 0 });
  await core.alerts.acknowledge(core.alerts.list()[0]?.id ?? 0, "test");
  expect((await next("alert_acknowledged")).data).toMatchObject({ message: "Low", acknowledged: 1 });
  const automation = await core.automations.create({ name: "Note", actions: [{ type: "log", message: "x" }] }, "test");
  await post(`/api/automations/${automation.id}/trigger`, {}, token);
  expect((await next("automation_executed")).data).toMatchObject({
    automationId: automation.id,
    automationName: "Note",
    source: "manual",
    actionsCount: 1,
  });
  await core.book.remove(equipment.id, { force: true, by: "test" });
  expect((await next("equipment_deleted")).data).toEqual({ id: equipment.id });
  socket.close();
});

test("a socket ends with the session it came with", async () => {
  const token = await place.login("viewer");
  const { socket, next } = await open({ token });
  await next("connected");
  const closed = once(socket, "close") as Promise<[number]>;
  await post("/api/auth/logout", {}, token);
  expect((await closed)[0]).toBe(1008);
});
