import { createManualClock, seconds, type Caller, type PartSocket, type SocketHandlers } from "@steading/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BOARD, startBoardFarm } from "../testing/board-farm.ts";
import { createTrialApi } from "../testing/trial-api.ts";
import { createTrialFarm, type TrialFarm } from "../testing/trial-farm.ts";
import { createFarmSocket, type FarmSocket } from "./farm-socket.ts";

const clock = createManualClock();
const tokens = new Set(["good"]);
const ANNA: Caller = { principal: "anna", role: "viewer", transport: "rest", correlation: "c" };
let changed: () => void = () => {};
let farm: TrialFarm;
let socket: FarmSocket;
beforeEach(() => {
  tokens.add("good");
  farm = createTrialFarm({ clock });
  const accounts = {
    authenticate: (token: string) =>
      Promise.resolve(tokens.has(token) ? ({ principal: "anna", role: "viewer" } as const) : undefined),
    onChange(listener: () => void) {
      changed = listener;
      return () => {};
    },
  };
  socket = createFarmSocket({ core: farm.core, accounts, clock });
});
afterEach(async () => {
  socket.stop();
  await farm.stop();
});

/** The client's end, which reads nothing unless told to. */
async function open(token?: string) {
  const sent: { type: string }[] = [];
  const ends: number[] = [];
  const end = {
    buffered: 0,
    send: (message: string) => void sent.push(JSON.parse(message) as { type: string }),
    close: (code = 1_000) => void ends.push(code),
  };
  const handlers = await socket.route.open(
    {
      url: new URL("ws://farm.example/ws"),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      protocols: [],
      caller: undefined,
      identify: (shown) => Promise.resolve(tokens.has(shown) ? ANNA : undefined),
      remoteAddress: "127.0.0.1",
    },
    end as PartSocket,
  );
  return { sent, ends, end, handlers, types: () => sent.map(({ type }) => type) };
}
const raise = () => farm.core.alerts.raise({ severity: "info", message: "x", source: "test" });

// @proves farm.socket.auth-timeout
test("whoever shows no token within five seconds is sent away, and heard nothing until then", async () => {
  const { types, ends, sent } = await open();
  await raise();
  await clock.advance(seconds(4.9));
  expect([types(), ends]).toEqual([[], []]);
  await clock.advance(seconds(0.1));
  expect(ends).toEqual([1_008]);
  expect(sent).toEqual([]);
});

test("a token in the first message is enough; a wrong one, or anything else first, is not", async () => {
  const hello = async (message: object) => {
    const client = await open();
    (client.handlers as SocketHandlers).message(JSON.stringify(message));
    await clock.advance(seconds(6));
    return client;
  };
  const good = await hello({ type: "auth", token: "good" });
  expect([good.types(), good.ends]).toEqual([["connected"], []]);
  for (const wrong of [{ type: "auth", token: "bad" }, { type: "auth" }, { type: "ping" }]) {
    expect((await hello(wrong)).ends).toContain(1_008);
  }
  expect((await open("bad")).handlers).toBeUndefined();
});

test("what comes while the token is looked at waits for it, one message and no more", async () => {
  const say = async (...messages: object[]) => {
    const client = await open();
    for (const message of messages) (client.handlers as SocketHandlers).message(JSON.stringify(message));
    await clock.advance(seconds(6));
    return client;
  };
  const ping = { type: "ping" };
  const eager = await say({ type: "auth", token: "good" }, ping);
  expect([eager.types(), eager.ends]).toEqual([["connected", "pong"], []]);
  const wrong = await say({ type: "auth", token: "bad" }, ping);
  expect([wrong.types(), wrong.ends]).toEqual([[], [1_008]]);
  const rushing = await say({ type: "auth", token: "good" }, ping, ping);
  expect([rushing.types(), rushing.ends]).toEqual([[], [1_008]]);
});

test("whoever left while the token was looked at is not told anything, nor kept in mind", async () => {
  const client = await open();
  const { message, closed } = client.handlers as SocketHandlers;
  message(JSON.stringify({ type: "auth", token: "good" }));
  closed(1_001, "");
  await clock.advance(seconds(1));
  await raise();
  expect(client.types()).toEqual([]);
  expect(clock.pending).toBe(0);
});

// @proves farm.socket.slow-dropped
test("a socket with more than a megabyte unread is cut, and the others go on", async () => {
  const [slow, quick] = [await open("good"), await open("good")];
  slow.end.buffered = 1024 * 1024 + 1;
  await raise();
  expect(slow.ends).toEqual([1_008]);
  expect(slow.types()).toEqual(["connected"]);
  expect(quick.ends).toEqual([]);
  expect(quick.types()).toEqual(["connected", "new_alert"]);
});

test("a token that is taken away ends its socket", async () => {
  const { ends } = await open("good");
  tokens.delete("good");
  changed();
  await clock.advance(seconds(0));
  expect(ends).toEqual([1_008]);
});

// @proves farm.socket.equipment-events
test("controlling and calibrating equipment are told, and a switch as an event of its own", async () => {
  const boards = await startBoardFarm(clock);
  const accounts = {
    authenticate: () => Promise.resolve({ principal: "anna", role: "viewer" } as const),
    onChange: () => () => {},
  };
  socket.stop();
  socket = createFarmSocket({ core: boards.core, accounts, clock });
  const api = createTrialApi(boards);
  const { id } = await api.call("POST", "/api/equipment", { body: BOARD });
  const { sent, types } = await open("good");
  expect((await api.call("POST", `/api/equipment/${id}/control`, { body: { action: "on", channel: 1 } })).status).toBe(
    200,
  );
  await api.call("POST", `/api/equipment/${id}/calibrate`, { role: "admin", body: { offset: 1 } });
  expect(types()).toEqual(expect.arrayContaining(["equipment_control", "equipment_calibrated"]));
  const frame = (type: string) => sent.find((each) => each.type === type);
  expect(frame("equipment_control")).toMatchObject({
    data: { id, name: "Relay board", action: "on", channel: 1, state: true },
  });
  expect(frame("relay_event")).toMatchObject({ data: { equipment_id: id, channel: 1, state: 1, source: "manual" } });
  await boards.stop();
});
