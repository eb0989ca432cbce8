import { createManualClock, millis, seconds, type ManualClock } from "@steading/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer, type WebSocket as Peer } from "ws";
import type { OpenSocket } from "./core-socket.ts";
import { send, startReferenceCore, type ReferenceCore } from "./testing/reference-core.ts";
import { createTrialBridge, type TrialBridge } from "./testing/trial-bridge.ts";

const service = { email: "bridge@farm.example", password: "a password" };
let clock: ManualClock;
let core: ReferenceCore;
let trial: TrialBridge;
let updates: string[];
beforeEach(async () => {
  clock = createManualClock();
  core = await startReferenceCore();
});
afterEach(async () => {
  await trial.stop();
  await core.close();
});

async function open(deps: { service?: typeof service; openSocket?: OpenSocket } = { service }): Promise<void> {
  trial = createTrialBridge({ url: core.url, clock, ...deps });
  updates = [];
  trial.bridge.resources?.[0]?.onUpdated?.((uri) => updates.push(uri.replace("sensehub://", "")));
  await trial.bridge.start(new AbortController().signal);
}

/** Lets time pass until such a look has been made, and taken in. */
async function look(path: string, step = seconds(5)): Promise<void> {
  let looked = false;
  void core.next(path).then(() => (looked = true));
  while (!looked) {
    await clock.advance(step);
    // The answer to this comes after those before it; a round that is under way may go on meanwhile.
    await trial.answer("get_system_status");
    await trial.answer("get_system_status");
  }
}

describe("looking", () => {
  test("the first look changes nothing, and neither does one that finds all as it was", async () => {
    await open();
    await look("/api/alerts");
    expect(updates).toEqual([]);
  });

  test("a status, a relay and a new device are updates of the equipment", async () => {
    await open();
    core.equipment[1]!["status"] = "online";
    core.equipment[0]!["last_reading"] = JSON.stringify({ relayStates: { 0: false, 1: false } });
    await look("/api/alerts");
    expect(updates).toEqual(["equipment", "equipment"]);
    core.equipment.push({ ...core.equipment[0], id: 3, name: "Another" });
    await look("/api/alerts");
    expect(updates).toHaveLength(3);
    core.equipment.pop();
    await look("/api/alerts");
    expect(updates).toHaveLength(4);
  });

  test("readings of one device are told at most once in thirty seconds, a status at once", async () => {
    await open();
    const times: number[] = [];
    trial.bridge.resources?.[0]?.onUpdated?.(() => times.push(clock.monotonic()));
    for (let value = 1; value <= 15; value += 1) {
      core.equipment[1]!["last_reading"] = JSON.stringify({ values: { temperature: { value, unit: "C" } } });
      await look("/api/alerts");
    }
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(gaps.length).toBeGreaterThan(1);
    expect(gaps.filter((gap) => gap < seconds(30))).toEqual([]);
    core.equipment[1]!["status"] = "warning";
    core.equipment[1]!["last_reading"] = JSON.stringify({ values: { temperature: { value: 99, unit: "C" } } });
    const before = times.length;
    await look("/api/alerts");
    expect(times.length).toBeGreaterThan(before);
  });

  test("alerts are told when they come and when they are acknowledged, automations when they change or have run", async () => {
    await open();
    core.alerts.push({ ...core.alerts[1], id: 10 });
    await look("/api/alerts");
    expect(updates).toEqual(["alerts"]);
    core.alerts[1]!["acknowledged"] = 1;
    core.automations[0]!["enabled"] = 0;
    await look("/api/automations");
    expect(updates).toEqual(["alerts", "alerts", "automations"]);
    core.automations[0]!["run_count"] = 3;
    await look("/api/automations");
    expect(updates.slice(3)).toEqual(["automations"]);
  });

  test("what the bridge itself has changed is told at once and not a second time", async () => {
    await open();
    await trial.answer("control_relay", { equipment_id: 1, channel: 1, state: true });
    await trial.answer("toggle_automation", { automation_id: 5 });
    await trial.answer("trigger_automation", { automation_id: 5 });
    expect(updates).toEqual(["equipment", "automations", "automations", "automations"]);
    core.equipment[0]!["last_reading"] = JSON.stringify({ relayStates: { 0: true, 1: true } });
    await look("/api/automations");
    expect(updates).toHaveLength(4);
  });

  test("without a login of its own the bridge looks with the one seen last, and only asks for health before", async () => {
    core.tokens.set("anna", "viewer");
    await open({});
    expect(core.seen.map(({ path }) => path)).toEqual(["/api/health"]);
    expect(trial.bridge.health()).toEqual({ status: "ok" });
    await trial.person("anna");
    const looked = core.next("/api/automations");
    await clock.advance(seconds(1));
    await looked;
    expect(core.seen.at(-1)?.authorization).toBe("Bearer anna");
    expect(core.logins).toEqual([]);
  });

  test("a core that is away is asked more and more seldom", async () => {
    await open();
    core.trouble("/", (response) => response.destroy());
    const asked = core.next("/api/equipment");
    await clock.advance(seconds(5));
    await asked;
    await trial.refusal("get_automations");
    const times: number[] = [];
    for (let second = 1; second <= 70; second += 1) {
      const before = core.seen.length;
      await clock.advance(seconds(1));
      await trial.refusal("get_automations");
      if (core.seen.length > before + 1) times.push(second);
    }
    expect(times.length).toBeGreaterThan(2);
    expect(times.length).toBeLessThan(9);
  });
});

describe("the core's socket", () => {
  let peers: Peer[];
  let said: unknown[];
  let server: WebSocketServer;
  const openSocket: OpenSocket = () => {
    const { port } = server.address() as { port: number };
    return new WebSocket(`ws://127.0.0.1:${port}/ws`) as unknown as ReturnType<OpenSocket>; // the same standard
  };
  beforeEach(async () => {
    peers = [];
    said = [];
    server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    server.on("connection", (peer) => {
      peers.push(peer);
      peer.on("message", (data: Buffer) => said.push(JSON.parse(data.toString())));
    });
    await new Promise((resolve) => server.once("listening", resolve));
  });
  afterEach(() => {
    for (const peer of peers) peer.terminate();
    server.close();
  });

  const connected = (): Promise<Peer> =>
    new Promise((resolve) => server.once("connection", (peer) => peer.once("message", () => resolve(peer))));
  const tell = (peer: Peer, type: string, data: object = {}): void => peer.send(JSON.stringify({ type, data }));
  /** After this answer everything that was sent before it has been heard. */
  const heard = (peer: Peer): Promise<void> =>
    new Promise((resolve) => {
      peer.once("pong", () => resolve());
      peer.ping();
    });

  test("says who the bridge is, and frames make it look at what they are about", async () => {
    const first = connected();
    await open({ service, openSocket });
    const peer = await first;
    expect(said[0]).toEqual({ type: "auth", token: "token-1" });
    tell(peer, "connected");
    await heard(peer);
    await look("/api/automations", seconds(1));
    core.equipment[0]!["status"] = "offline";
    tell(peer, "equipment_status", { id: 1 });
    await heard(peer);
    await look("/api/equipment", seconds(1));
    expect(updates).toEqual(["equipment"]);
    core.alerts.push({ ...core.alerts[1], id: 11 });
    tell(peer, "new_alert", { id: 11 });
    await heard(peer);
    await look("/api/alerts", seconds(1));
    expect(updates).toEqual(["equipment", "alerts"]);
  });

  test("a reading is an update without any question, in the same thirty seconds' measure", async () => {
    const first = connected();
    await open({ service, openSocket });
    const peer = await first;
    const before = core.seen.length;
    for (let i = 0; i < 50; i += 1) tell(peer, "sensor_reading", { equipment_id: 2, value: i });
    await heard(peer);
    expect(updates).toEqual(["equipment"]);
    expect(core.seen).toHaveLength(before);
    await clock.advance(millis(200));
    expect(updates).toEqual(["equipment"]);
  });

  test("a flood of frames costs the core one look a second, and nonsense none", async () => {
    const first = connected();
    await open({ service, openSocket });
    const peer = await first;
    const before = core.seen.length;
    for (const text of ["", "null", "[]", '{"type":7}', "[".repeat(50_000), '{"type":"lab_reading_created"}'])
      peer.send(text);
    for (let i = 0; i < 500; i += 1) tell(peer, "relay_state_changed", { equipmentId: 1, channel: 0, state: true });
    await heard(peer);
    await look("/api/equipment", seconds(1));
    expect(core.seen.slice(before).filter(({ path }) => path === "/api/equipment")).toHaveLength(1);
  });

  test("a socket that breaks is opened again, and the core is looked at meanwhile", async () => {
    const first = connected();
    await open({ service, openSocket });
    const peer = await first;
    tell(peer, "connected");
    await heard(peer);
    await look("/api/automations", seconds(1));
    core.equipment[0]!["status"] = "offline";
    const again = connected();
    const gone = new Promise((resolve) => peer.once("close", resolve));
    peer.close();
    await gone;
    await look("/api/equipment", seconds(2));
    expect(updates).toEqual(["equipment"]);
    await again;
    expect(peers).toHaveLength(2);
  });

  test("a socket that answers no ping is given up and opened again", async () => {
    const first = connected();
    await open({ service, openSocket });
    const peer = await first;
    expect(said).toHaveLength(1);
    const again = connected();
    const gone = new Promise((resolve) => peer.once("close", resolve));
    await clock.advance(seconds(95));
    await gone;
    expect(said.slice(1, 3)).toEqual([{ type: "ping" }, { type: "ping" }]);
    await clock.advance(seconds(5));
    await again;
    expect(peers).toHaveLength(2);
  });
});

test("answers that come one after another use one connection, commands one each", async () => {
  await open();
  const ports = new Set<number | undefined>();
  core.trouble("/api/automations", (response, request) => {
    ports.add(request.socket.remotePort);
    send(response, 200, []);
  });
  for (let i = 0; i < 5; i += 1) await trial.answer("get_automations");
  expect(ports.size).toBe(1);
});
