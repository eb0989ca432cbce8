import { millis, seconds } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import type { EventReader } from "../testing/event-stream.ts";
import { openOldStream, openSession, request, startOldHubShell } from "../testing/old-hub-shell.ts";
import { send } from "../testing/post.ts";
import type { TestShell } from "../testing/start-shell.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

const [ALERTS, EQUIPMENT] = ["test://alerts", "test://equipment"] as const;

async function start(): Promise<TestShell> {
  shell = await startOldHubShell();
  for (const uri of [ALERTS, EQUIPMENT]) shell.resources.put(uri, "[]");
  return shell;
}

/** Whatever comes first is an update, and this one. */
async function update(events: EventReader): Promise<unknown> {
  const message = (await events.message()) as { method: string; params: unknown };
  expect(message.method).toBe("notifications/resources/updated");
  return message.params;
}

// @proves farm.subscription.subscribe
test("subscribing and unsubscribing answer with nothing, also when repeated", async () => {
  const { ask } = await openSession(await start());
  for (const method of ["subscribe", "subscribe", "unsubscribe", "unsubscribe"])
    expect((await ask(`resources/${method}`, { uri: ALERTS })).body).toMatchObject({ result: {} });
});

// @proves farm.subscription.pending farm.subscription.update-meta farm.subscription.both-streams farm.mcp.get-stream
test("without a stream the newest update of each resource is kept, and sent when one opens", async () => {
  const at = await start();
  const { ask, stream } = await openSession(at);
  for (const uri of [ALERTS, EQUIPMENT]) await ask("resources/subscribe", { uri });
  at.resources.touch(ALERTS, { reason: "alert_created", alert_id: 1 });
  at.resources.touch(EQUIPMENT, { reason: "reading", equipment_id: 5 });
  at.resources.touch(ALERTS, { reason: "alert_acknowledged", alert_id: 1 });
  const events = await stream();
  expect(await update(events)).toEqual({ uri: ALERTS, _meta: { reason: "alert_acknowledged", alert_id: 1 } });
  expect(await update(events)).toEqual({ uri: EQUIPMENT, _meta: { reason: "reading", equipment_id: 5 } });
  at.resources.touch(ALERTS, { reason: "alert_cleared", alert_id: 1 });
  expect(await update(events)).toEqual({ uri: ALERTS, _meta: { reason: "alert_cleared", alert_id: 1 } });
  events.close();
});

// @proves farm.subscription.pending farm.mcp.get-resume
test("a stream that broke is resumed with what was missed on it, then with what was kept since", async () => {
  const at = await start();
  const { ask, stream } = await openSession(at);
  await ask("resources/subscribe", { uri: ALERTS });
  const first = await stream();
  at.resources.touch(ALERTS, { n: 1 });
  const seen = await first.next();
  at.resources.touch(ALERTS, { n: 2 }); // arrives, but the client does not get to read it
  expect(await first.next()).toMatchObject({ data: expect.stringContaining('"n":2') });
  first.close();
  await expect.poll(() => at.server.metrics()).toContain("steading_mcp_streams 0\n");
  for (const n of [3, 4]) at.resources.touch(ALERTS, { n });
  const again = await stream({ "last-event-id": seen?.id ?? "" });
  for (const n of [2, 4]) expect(await update(again)).toEqual({ uri: ALERTS, _meta: { n } });
  again.close();
});

test("a half-dead stream does not keep its client from resuming", async () => {
  const at = await start();
  const { ask, stream } = await openSession(at);
  await ask("resources/subscribe", { uri: ALERTS });
  const first = await stream();
  at.resources.touch(ALERTS, { n: 1 });
  const seen = await first.next();
  const again = await stream({ "last-event-id": seen?.id ?? "" });
  expect(again.status).toBe(200);
  at.resources.touch(ALERTS, { n: 2 });
  expect(await update(again)).toEqual({ uri: ALERTS, _meta: { n: 2 } });
  again.close();
});

// @proves farm.subscription.none-without farm.subscription.ends-with-session
test("whoever did not subscribe, or left, hears of nothing", async () => {
  const at = await start();
  const { ask, stream } = await openSession(at);
  await ask("resources/subscribe", { uri: ALERTS });
  at.resources.touch(ALERTS, { reason: "kept" });
  await ask("resources/unsubscribe", { uri: ALERTS });
  const mine = await stream();
  const other = await openSession(at);
  const others = await other.stream();
  at.resources.touch(ALERTS, { reason: "nobody's" });
  await ask("resources/subscribe", { uri: EQUIPMENT });
  await other.ask("resources/subscribe", { uri: EQUIPMENT });
  at.resources.touch(EQUIPMENT);
  for (const events of [mine, others]) {
    expect(await update(events)).toEqual({ uri: EQUIPMENT });
    events.close();
  }
});

// @proves farm.subscription.session-rate
test("a session gets twenty notices in a second, and then the newest of each resource", async () => {
  const at = await start();
  const { ask, stream } = await openSession(at);
  for (const uri of [ALERTS, EQUIPMENT]) await ask("resources/subscribe", { uri });
  const events = await stream();
  for (let n = 0; n < 50; n++) at.resources.touch(n % 2 === 0 ? ALERTS : EQUIPMENT, { n });
  for (let n = 0; n < 20; n++) expect(await update(events)).toMatchObject({ _meta: { n } });
  await at.clock.advance(millis(999));
  at.resources.touch(EQUIPMENT, { n: 50 });
  await at.clock.advance(millis(1));
  expect(await update(events)).toEqual({ uri: ALERTS, _meta: { n: 48 } });
  expect(await update(events)).toEqual({ uri: EQUIPMENT, _meta: { n: 50 } });
  events.close();
});

// @proves farm.subscription.both-streams farm.subscription.session-rate
test("the old transport tells updates on its stream, at the same pace", async () => {
  const at = await start();
  const { events, endpoint } = await openOldStream(at);
  await send(endpoint, request("resources/subscribe", { uri: ALERTS }), {});
  expect(await events.message()).toMatchObject({ result: {} });
  for (let n = 0; n < 30; n++) at.resources.touch(ALERTS, { n });
  for (let n = 0; n < 20; n++) expect(await update(events)).toMatchObject({ _meta: { n } });
  await at.clock.advance(seconds(1));
  expect(await update(events)).toEqual({ uri: ALERTS, _meta: { n: 29 } });
});
