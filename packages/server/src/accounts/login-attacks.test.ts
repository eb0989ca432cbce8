import type { Route } from "@steading/kernel";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { startShell, type TestShell } from "../testing/start-shell.ts";
import { createTrialAccounts, LOCAL, PASSWORD } from "../testing/trial-accounts.ts";

let shell: TestShell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

/** Accounts behind a login page, as a part would have one. */
async function setUp(trustedProxy = false) {
  const trial = createTrialAccounts({ limits: { throttled: 100 } });
  const { accounts, changes, clock } = trial;
  await changes.create(LOCAL, { name: "anna", role: "admin", password: PASSWORD });
  const login: Route = {
    method: "POST",
    path: "/api/login",
    role: "public",
    input: { body: z.object({ name: z.string(), password: z.string() }) },
    async handle({ body }, { remoteAddress: address }) {
      const { name, password } = body as { name: string; password: string }; // as `input` says
      return { body: { token: (await accounts.login({ name, password, address })).token } };
    },
    errorStatus: (code) => ({ LOGIN_FAILED: 401, LOGIN_THROTTLED: 429, LOGIN_BUSY: 503 })[code],
  };
  const running = await startShell({ authenticator: accounts, clock, parts: [{ name: "door", routes: [login] }] });
  shell = running;
  const { url } = await running.server.listen({ host: "127.0.0.1", port: 0, trustedProxy });
  const attempt = async (name: string, password: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ name, password }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { ...trial, attempt };
}

test("brute force: a storm of guesses gets five of them looked at, however they are dressed up", async () => {
  const { accounts, attempt } = await setUp();
  const guesses = Array.from({ length: 25 }, (_, i) =>
    attempt(i % 2 === 0 ? "anna" : "ANNA", `guess number ${i}`, { "x-forwarded-for": `203.0.113.${i}` }),
  );
  const answers = await Promise.all(guesses);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  expect(accounts.counters).toMatchObject({ failedLogins: 5, throttledLogins: 20, logins: 0 });
  // Nor does the right one get through now: that would tell it from the others.
  expect(await attempt("anna", PASSWORD)).toMatchObject({ status: 429 });
});

test("brute force: many names from one address are slowed down, and what is remembered stays bounded", async () => {
  const { accounts, attempt } = await setUp();
  for (let i = 0; i < 12; i++)
    await Promise.all(Array.from({ length: 25 }, (_, n) => attempt(`user-${i}-${n}`, "a guess like others")));
  const { failedLogins, throttledLogins, throttled } = accounts.counters;
  expect(failedLogins + throttledLogins).toBe(300);
  expect(failedLogins).toBeLessThanOrEqual(30);
  expect(throttled).toBeLessThanOrEqual(400);
});

test("brute force: wrong name and wrong password are answered alike, and tell no names", async () => {
  const { attempt } = await setUp();
  const [wrong, unknown] = [await attempt("anna", "a wrong password"), await attempt("nobody", "a wrong password")];
  expect(unknown).toEqual(wrong);
  expect(wrong.text).not.toContain("anna");
});

test("behind a trusted proxy the guesses of one address do not slow down another", async () => {
  const { attempt } = await setUp(true);
  const from = (address: string) => ({ "x-forwarded-for": `198.51.100.1, ${address}` });
  for (let i = 0; i < 6; i++) await attempt("anna", `guess number ${i}`, from("203.0.113.9"));
  expect(await attempt("anna", PASSWORD, from("203.0.113.9"))).toMatchObject({ status: 429 });
  expect(await attempt("anna", PASSWORD, from("192.0.2.7"))).toMatchObject({ status: 200 });
});
