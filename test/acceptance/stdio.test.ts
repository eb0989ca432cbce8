import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { switchesSince, wireMark } from "../support/lamp-wire.ts";
import { CLIENTS, connect2026 } from "../support/mcp-clients.ts";
import { createPlace, HALL_ON, type Place } from "../support/place.ts";
import { spawnStdio } from "../support/raw-stdio.ts";
import { receiptOf, type ToolCaller } from "../support/tool-caller.ts";

const PIN = { pin: "2026-07-28" } as const;
let place: Place;
let callers: ToolCaller[];

beforeEach(async () => {
  place = await createPlace();
  callers = [];
});
afterEach(async () => {
  try {
    for (const caller of callers) await caller.close();
  } finally {
    await place.tidy();
  }
});

async function joined(connecting: Promise<ToolCaller>): Promise<ToolCaller> {
  const caller = await connecting;
  callers.push(caller);
  return caller;
}

/** Repeats until the hub, which may have just started, has found the lamp. */
async function setHall(caller: ToolCaller, value: boolean): Promise<Awaited<ReturnType<ToolCaller["call"]>>> {
  return vi.waitFor(
    async () => {
      const answer = await caller.call("set_property", { path: HALL_ON, value });
      expect(answer.json["code"]).not.toBe("SOURCE_UNAVAILABLE");
      return answer;
    },
    { timeout: 20_000 },
  );
}

// @proves steading.stdio.attaches-to-running-hub steading.stdio.socket-in-data-directory steading.stdio.socket-mode-0600 steading.stdio.no-credential-asked mcp.stdio.attaches-to-hub
test("with a hub running, stdio talks to that hub through the socket in its data directory", async () => {
  await place.start();
  expect((await stat(join(place.data, "steading.sock"))).mode & 0o777).toBe(0o600);
  const overHttp = await joined(connect2026(place.connection("http"), PIN));
  const overStdio = await joined(connect2026(place.connection("stdio"), PIN));

  const on = await setHall(overStdio, true);

  expect(on.structured).toMatchObject({ status: "confirmed" });
  const seen = await overHttp.call("get_action", { id: receiptOf(on).action });
  expect(seen.structured).toMatchObject({ receipt: { stage: "observed" } });
  expect(place.lamp.connections).toBe(1);
});

test("without a view stdio shows the same short list as /mcp/essential, with a hub and without", async () => {
  const { data, config } = place;
  const plain = { over: "stdio", args: ["--data", data, "--config", config] } as const;
  const namesOf = async (caller: ToolCaller) => (await caller.listTools()).map(({ name }) => name);
  const alone = await connect2026(plain, PIN);
  const first = await namesOf(alone);
  await alone.close();
  const { mcp, token } = await place.start();
  const overHttp = await joined(connect2026({ over: "http", mcp: `${mcp}/essential`, token }, PIN));
  const attached = await joined(connect2026(plain, PIN));
  expect(first).toContain("call_tool");
  expect(first).not.toContain("list_actions");
  expect(await namesOf(attached)).toEqual(first);
  expect(await namesOf(overHttp)).toEqual(first);
});

test("a view that there is not ends stdio with a sentence, with a hub and without", async () => {
  const { data, config } = place;
  const args = ["--data", data, "--config", config, "--view", "nothing"];
  await expect(connect2026({ over: "stdio", args }, PIN)).rejects.toThrow();
  await place.start();
  await expect(connect2026({ over: "stdio", args }, PIN)).rejects.toThrow();
});

// @proves steading.stdio.in-process-without-hub
test.each(CLIENTS)("with no hub running, stdio serves by itself: $name", async ({ connect }) => {
  const mark = wireMark(place.lamp);
  const caller = await joined(connect(place.connection("stdio")));
  expect((await setHall(caller, true)).structured).toMatchObject({
    status: "confirmed",
    receipt: { stage: "observed" },
  });
  expect(switchesSince(place.lamp, mark)).toEqual(["on"]);
});

// @proves steading.stdio.second-host-shares
test("a second host on the same data directory shares the one that serves", async () => {
  const first = await joined(connect2026(place.connection("stdio"), PIN));
  // This client says that it is connected when its process was started; an answer shows that the process serves.
  const on = await setHall(first, true);
  const second = await joined(connect2026(place.connection("stdio"), PIN));

  expect((await second.call("get_action", { id: receiptOf(on).action })).structured).toMatchObject({
    receipt: { stage: "observed" },
  });
  expect(place.lamp.connections).toBe(1);
});

// @proves steading.stdio.door-still-applies mcp.stdio.door-still-applies
test("the door holds over stdio too: a hub with access: read lets OFF through and no ON", async () => {
  await place.tidy();
  place = await createPlace({ access: "read" });
  const mark = wireMark(place.lamp);
  const caller = await joined(connect2026(place.connection("stdio"), PIN));

  expect((await setHall(caller, true)).json).toMatchObject({ code: "SERVER_READ_ONLY" });
  expect((await setHall(caller, false)).structured).toMatchObject({ status: "confirmed" });
  expect(switchesSince(place.lamp, mark)).toEqual(["off"]);
});

// Official clients ask a short-lived second process for the revision first; when two hosts start together, the one's
// process attaches to the other's short-lived one, which leaves before this client has said a word.
test("a host that has not spoken yet is still served when the host that served it leaves", async () => {
  const first = await connect2026(place.connection("stdio"), PIN);
  await setHall(first, true);
  const waiting = spawnStdio(["--data", place.data, "--config", place.config]);
  await vi.waitFor(() => expect(waiting.isAttached(join(place.data, "steading.sock"))).toBe(true), { timeout: 20_000 });

  await first.close();
  const answer = await waiting.discover().finally(() => waiting.close());

  expect(answer).toContain("2026-07-28");
});

test("what was done over stdio is on record for the hub that starts afterwards", async () => {
  const alone = await connect2026(place.connection("stdio"), PIN);
  const on = await setHall(alone, true);
  await alone.close();

  await place.start();
  const later = await joined(connect2026(place.connection("http"), PIN));
  expect((await later.call("get_action", { id: receiptOf(on).action })).structured).toMatchObject({
    receipt: { stage: "observed" },
  });
});
