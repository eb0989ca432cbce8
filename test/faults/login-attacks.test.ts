import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFarmHub, type FarmHub } from "../support/farm-hub.ts";
import { recordOutput, secret } from "../support/run-record.ts";

let place: FarmHub;
let anna: { readonly email: string; readonly password: string };
beforeAll(async () => {
  place = await startFarmHub();
  anna = await place.addUser("operator");
  await place.logIn(anna); // she has been here before, from this address
});
afterAll(() => place.tidy());

interface Tried {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** From an address of its own: all of 127/8 is this machine, and a stranger may be anywhere in it. */
function logIn(from: string, email: string, password: string, headers: Record<string, string> = {}): Promise<Tried> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${place.hub.url}/api/auth/login`,
      { method: "POST", localAddress: from, agent: false, headers: { "content-type": "application/json", ...headers } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        answer.on("end", () => {
          if (answer.statusCode !== 200) recordOutput("errors", text);
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"], text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify({ email, password }));
  });
}

const count = (all: readonly Tried[], status: number): number => all.filter((each) => each.status === status).length;

// @proves farm.auth.throttle
test("guessing a password: five tries, then 429 with the time to wait, and not even the right one helps", async () => {
  const guesses = Array.from({ length: 60 }, (_, n) => secret(`a guess of mine, number ${n}`));
  const all = await Promise.all(
    // Whoever says that it comes from elsewhere is not believed.
    guesses.map((guess, n) => logIn("127.0.0.2", anna.email, guess, { "x-forwarded-for": `198.51.100.${n}` })),
  );
  expect([count(all, 401), count(all, 429)]).toEqual([5, 55]);
  for (const { status, retryAfter } of all) expect(status === 401 ? 1 : Number(retryAfter)).toBeGreaterThan(0);
  expect(await logIn("127.0.0.2", anna.email, anna.password)).toMatchObject({ status: 429 });
  // Meanwhile she herself is let in, and calls of others are answered.
  expect(await logIn("127.0.0.1", anna.email, anna.password)).toMatchObject({ status: 200 });
  expect(await place.rest("GET", "/api/equipment")).toMatchObject({ status: 200 });
});

// @proves farm.auth.login-wrong
test("guessing a name: one that exists is refused word for word like one that does not", async () => {
  const known = await logIn("127.0.0.3", anna.email, secret("not hers, I am sure"));
  const unknown = await logIn("127.0.0.4", "nobody@farm.example", secret("not hers, I am sure"));
  expect(known).toEqual(unknown);
  expect(known.status).toBe(401);
});

test("guessing at many names from one address ends as well", async () => {
  const names = Array.from({ length: 60 }, (_, n) => `person-${n}@farm.example`);
  const all = await Promise.all(names.map((name) => logIn("127.0.0.5", name, secret("spring 2026, the usual"))));
  expect(count(all, 401)).toBeLessThanOrEqual(30);
  expect(count(all, 401) + count(all, 429) + count(all, 503)).toBe(60);
  expect(count(all, 429)).toBeGreaterThan(0);
});

// @proves farm.auth.setup-once farm.auth.setup-quick
test("a hub that has its first account makes no second one for strangers, and has no default password", async () => {
  const body = { email: "eve@farm.example", password: secret("eve waters at night"), name: "Eve" };
  expect(await place.rest("POST", "/api/auth/setup", { body, token: null })).toMatchObject({ status: 400 });
  expect(await place.rest("POST", "/api/auth/setup/quick", { body: {}, token: null })).toMatchObject({ status: 410 });
  expect((await place.rest("GET", "/api/auth/setup-status", { token: null })).json).toMatchObject({
    needsSetup: false,
  });
});

test.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["no password", '{"email":"a@b.example"}'],
  ["a password that is none", '{"email":"a@b.example","password":{"$ne":""}}'],
  ["an e-mail that is none", '{"email":["a@b.example"],"password":"x"}'],
  ["a password of a megabyte", JSON.stringify({ email: "a@b.example", password: "x".repeat(1_000_000) })],
])("a login with %s is refused before any password is looked at", async (_what, body) => {
  const { status, json } = await place.rest("POST", "/api/auth/login", { body, token: null });
  expect([400, 413]).toContain(status);
  expect(json).toMatchObject({ error: expect.any(String) as unknown, message: expect.any(String) as unknown });
});
