import { createManualClock, minutes, seconds, type Authenticated } from "@steading/kernel";
import { expect, test } from "vitest";
import { createStreamGuard } from "./stream-guard.ts";

/** Tokens that are ended elsewhere, without a word to us. */
function setUp() {
  const clock = createManualClock();
  const known = new Map<string, Authenticated>([
    ["t-anna", { principal: "anna", role: "admin" }],
    ["t-vera", { principal: "vera", role: "viewer" }],
  ]);
  const asked: string[] = [];
  let reachable = true;
  const guard = createStreamGuard({
    clock,
    authenticator: {
      authenticate(token) {
        asked.push(token);
        return reachable ? Promise.resolve(known.get(token)) : Promise.reject(new Error("away"));
      },
    },
  });
  const ended: string[] = [];
  const hold = (token: string, name = token) => {
    const identity = { principal: "nobody", role: "viewer", ...known.get(token), transport: "http" } as const;
    return guard.hold({ identity, token, end: () => void ended.push(name) });
  };
  return { clock, known, asked, ended, hold, guard, reach: (is: boolean) => void (reachable = is) };
}

// @proves farm.mcp-auth.dies-mid-session
test("a stream ends within a minute of its token, also where nobody tells us of its end", async () => {
  const { clock, known, ended, hold } = setUp();
  hold("t-anna");
  hold("t-vera");
  await clock.advance(minutes(5));
  expect(ended).toEqual([]);
  known.delete("t-anna");
  await clock.advance(seconds(30));
  expect(ended).toEqual(["t-anna"]);
});

test("a token that comes to mean another role ends its streams", async () => {
  const { clock, known, ended, hold } = setUp();
  hold("t-anna");
  known.set("t-anna", { principal: "anna", role: "viewer" });
  await clock.advance(seconds(30));
  expect(ended).toEqual(["t-anna"]);
});

test("each token is asked for once, however many streams it opened", async () => {
  const { clock, asked, hold } = setUp();
  for (let n = 0; n < 10; n++) hold("t-anna", `stream ${n}`);
  hold("t-vera");
  await clock.advance(seconds(25));
  expect(asked.toSorted()).toEqual(["t-anna", "t-vera"]);
});

test("an issuer out of reach leaves the streams open until it answers again", async () => {
  const { clock, known, ended, hold, reach } = setUp();
  hold("t-anna");
  reach(false);
  await clock.advance(minutes(5));
  expect(ended).toEqual([]);
  known.clear();
  reach(true);
  await clock.advance(seconds(30));
  expect(ended).toEqual(["t-anna"]);
});

test("with the last stream, and with the guard, the looking ends", async () => {
  const { clock, hold, guard } = setUp();
  const letGo = hold("t-anna");
  letGo();
  await clock.advance(seconds(30));
  expect(clock.pending).toBe(0);
  hold("t-anna");
  guard.close();
  expect(clock.pending).toBe(0);
});
