import { createManualClock, millis, seconds } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFanOut } from "./fan-out.ts";

function setUp() {
  const clock = createManualClock();
  const heard: string[] = [];
  const fanOut = createFanOut({
    clock,
    listChangedEvery: seconds(2),
    resourceUpdatedEvery: (uri) => (uri.startsWith("slow") ? seconds(30) : seconds(1)),
  });
  const leave = fanOut.join({
    toolsChanged: () => heard.push("tools"),
    promptsChanged: () => heard.push("prompts"),
    resourcesChanged: () => heard.push("resources"),
    resourceUpdated: (uri) => heard.push(uri),
  });
  return { clock, heard, fanOut, leave };
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
