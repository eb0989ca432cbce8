import { createManualClock, millis, seconds, type JsonObject } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFanOut } from "./fan-out.ts";

const PACES: Readonly<Record<string, number>> = { slow: 30_000, "at-once": 0 };

function setUp() {
  const clock = createManualClock();
  const heard: string[] = [];
  const reasons: (JsonObject | undefined)[] = [];
  const fanOut = createFanOut({
    clock,
    listChangedEvery: seconds(2),
    resourceUpdatedEvery: (uri) => millis(PACES[uri.split(":", 1)[0] ?? ""] ?? 1_000),
  });
  const leave = fanOut.join({
    toolsChanged: () => heard.push("tools"),
    promptsChanged: () => heard.push("prompts"),
    resourcesChanged: () => heard.push("resources"),
    resourceUpdated(uri, meta) {
      heard.push(uri);
      reasons.push(meta);
    },
  });
  return { clock, heard, reasons, fanOut, leave };
}

// @proves mcp.tools.list-changed-coalesced
test("a burst of changes is told at once and once more after two seconds, per kind", async () => {
  const { clock, heard, fanOut } = setUp();
  for (let i = 0; i < 5; i++) fanOut.tools();
  fanOut.prompts();
  expect(heard).toEqual(["tools", "prompts"]);
  await clock.advance(millis(1_999));
  expect(heard).toHaveLength(2);
  await clock.advance(millis(1));
  expect(heard).toEqual(["tools", "prompts", "tools"]);
  await clock.advance(seconds(10));
  expect(heard).toHaveLength(3);
});

// @proves mcp.resources.update-leading-edge mcp.resources.update-throttled mcp.resources.update-throttle-per-class
// @proves kernel.journey.subscriptions-throttled
test("updates are thinned per URI, at the pace of its class", async () => {
  const { clock, heard, fanOut } = setUp();
  for (let i = 0; i < 3; i++) {
    fanOut.resource("fast://a");
    fanOut.resource("slow://b");
  }
  expect(heard).toEqual(["fast://a", "slow://b"]);
  await clock.advance(seconds(1));
  expect(heard).toEqual(["fast://a", "slow://b", "fast://a"]);
  await clock.advance(seconds(30));
  expect(heard.filter((uri) => uri === "slow://b")).toHaveLength(2);
});

test("of changes that become one notice the last one's reason is told, and a notice without one has none", async () => {
  const { clock, reasons, fanOut } = setUp();
  fanOut.resource("fast://a", { reason: "first" });
  fanOut.resource("fast://a", { reason: "second" });
  fanOut.resource("fast://a", { reason: "third" });
  fanOut.resource("slow://b");
  await clock.advance(seconds(1));
  expect(reasons).toEqual([{ reason: "first" }, undefined, { reason: "third" }]);
});

// @proves farm.subscription.shell-throttle-off
test("where the pace of a class is none, every change is told at once with its reason", () => {
  const { clock, heard, reasons, fanOut } = setUp();
  fanOut.resource("at-once://c", { reason: "one" });
  fanOut.resource("at-once://c", { reason: "two" });
  expect(heard).toEqual(["at-once://c", "at-once://c"]);
  expect(reasons).toEqual([{ reason: "one" }, { reason: "two" }]);
  expect(clock.pending).toBe(0);
});

test("nothing is kept about a URI that has gone quiet", async () => {
  const { clock, fanOut } = setUp();
  fanOut.resource("fast://a");
  await clock.advance(seconds(1));
  expect(clock.pending).toBe(0);
});

test("whoever left hears nothing, and a closed fan-out leaves no timer", () => {
  const { clock, heard, fanOut, leave } = setUp();
  leave();
  fanOut.tools();
  expect(heard).toEqual([]);
  fanOut.close();
  expect(clock.pending).toBe(0);
});
