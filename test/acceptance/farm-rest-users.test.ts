import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog } from "@steading/kernel";
import { openStore } from "@steading/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOCAL, PASSWORD, startFarmPlace, type FarmPlace } from "../support/farm-place.ts";
import { createFarmRest, type RestCall } from "../support/farm-rest.ts";

let place: FarmPlace;
let call: RestCall;
beforeAll(async () => {
  place = await startFarmPlace();
  call = await createFarmRest(place);
});
afterAll(() => place.close());

const admin = { role: "admin" } as const;
const SECRET = "a kettle and two boots";
const logIn = (email: string, password = SECRET) =>
  call("POST", "/api/auth/login", { role: "nobody", body: { email, password } });
const session = async (token: unknown) => (await call("GET", "/api/auth/session", { token: String(token) })).status;
const addUser = (body: object) => call("POST", "/api/users", { ...admin, body: { password: SECRET, ...body } });

describe("users", () => {
  // @proves farm.users-api.management farm.user.email-form farm.user.role-default
  test("an admin adds, changes and deletes them; the e-mail has its form and is nobody else's", async () => {
    const made = await addUser({ email: "anna@farm.example", name: "Anna", role: "operator" });
    expect(made).toMatchObject({
      status: 201,
      json: { email: "anna@farm.example", name: "Anna", role: "operator", is_cloud_synced: 0, last_login: null },
    });
    expect(made.text).not.toMatch(/password|hash/i);
    expect((await addUser({ email: "ANNA@farm.example" })).status).toBe(409);
    for (const email of ["anna", "anna@farm", "@farm.example", "an na@farm.example", ""]) {
      expect([email, (await addUser({ email })).status]).toEqual([email, 400]);
    }
    expect((await addUser({ email: "ben@farm.example" })).json).toMatchObject({ role: "viewer" });
    expect((await addUser({ email: "carl@farm.example", role: "emperor" })).json).toMatchObject({ role: "viewer" });
    expect((await addUser({ email: "dora@farm.example", password: "short" })).status).toBe(400);
    const changed = await call("PUT", `/api/users/${made.id}`, { ...admin, body: { name: "Anna B.", role: "viewer" } });
    expect(changed.json).toMatchObject({ id: made.id, name: "Anna B.", role: "viewer" });
    expect((await call("PUT", `/api/users/${made.id}`, { ...admin, body: { role: "emperor" } })).status).toBe(400);
    expect((await call("PUT", `/api/users/${made.id}`, { ...admin, body: { email: "x@y.example" } })).status).toBe(422);
    expect((await call("GET", `/api/users/${made.id}`, admin)).json).toMatchObject({ name: "Anna B." });
    const own = place.accounts.find("admin@farm.example")?.id ?? 0;
    expect((await call("DELETE", `/api/users/${own}`, admin)).status).toBe(400);
    expect((await call("DELETE", `/api/users/${made.id}`, admin)).status).toBe(200);
    expect((await call("GET", `/api/users/${made.id}`, admin)).status).toBe(404);
    expect((await call("DELETE", "/api/users/9999", admin)).status).toBe(404);
    const names = (await call("GET", "/api/users", admin)).rows.map(({ email }) => email);
    expect(names).toContain("ben@farm.example");
    for (const role of ["viewer", "operator"] as const) {
      expect((await call("GET", "/api/users", { role })).status).toBe(403);
      expect(
        (await call("POST", "/api/users", { role, body: { email: "e@f.example", password: SECRET } })).status,
      ).toBe(403);
    }
  });

  // @proves farm.user.last-login farm.user.session-per-login farm.user.sessions-cascade
  test("a login is remembered, each is a session of its own, and they end with their user", async () => {
    const { id } = await addUser({ email: "eva@farm.example" });
    const [first, second] = [await logIn("eva@farm.example"), await logIn("eva@farm.example")];
    const before = Date.now();
    expect(first.json["token"]).not.toBe(second.json["token"]);
    const { last_login } = (await call("GET", `/api/users/${id}`, admin)).json;
    expect(Math.abs(Date.parse(String(last_login)) - before)).toBeLessThan(60_000);
    await call("POST", "/api/auth/logout", { token: String(first.json["token"]) });
    expect(await session(first.json["token"])).toBe(401);
    expect(await session(second.json["token"])).toBe(200);
    await call("DELETE", `/api/users/${id}`, admin);
    expect(await session(second.json["token"])).toBe(401);
    expect((await logIn("eva@farm.example")).status).toBe(401);
  });

  // @proves farm.user.bcrypt-import
  test("somebody who comes from the older hub logs in with the password they had there", async () => {
    const imported = await place.desk.importAccounts(place.desk.as(LOCAL), [
      {
        id: 77,
        name: "old@farm.example",
        displayName: "Old hand",
        role: "operator",
        passwordHash: "$2b$10$zWZorCH7sib35vuz7N16teBzctJNazrldvuRppxOtvb6CaORINyRK",
      },
    ]);
    expect(imported.imported).toMatchObject([{ id: 77 }]);
    expect((await logIn("old@farm.example", "crickets in the barn")).status).toBe(401);
    const login = await logIn("old@farm.example", "crickets in the hay loft");
    expect(login).toMatchObject({ status: 200, json: { user: { id: 77, name: "Old hand", role: "operator" } } });
    // By now the hash is one of ours, and the password still the same.
    expect((await logIn("old@farm.example", "crickets in the hay loft")).status).toBe(200);
  });

  // @proves farm.user.preferences farm.users-api.preferences
  test("everybody has preferences of their own, and the volume stays between 0 and 1", async () => {
    const mine = (role: "viewer" | "operator") => call("GET", "/api/users/me/preferences", { role });
    expect((await mine("viewer")).json).toMatchObject({
      sound_alerts_enabled: 0,
      sound_volume: 0.5,
      alert_sound_critical: "alarm",
      alert_sound_warning: "beep",
      alert_sound_info: "chime",
    });
    const put = (body: object) => call("PUT", "/api/users/me/preferences", { role: "viewer", body });
    expect((await put({ sound_volume: 7, sound_alerts_enabled: 1 })).json).toMatchObject({
      sound_volume: 1,
      sound_alerts_enabled: 1,
    });
    expect((await put({ sound_volume: -3, alert_sound_info: "cuckoo" })).json).toMatchObject({
      sound_volume: 0,
      alert_sound_info: "cuckoo",
    });
    expect((await put({ sound_volume: "loud" })).status).toBe(400);
    expect((await mine("viewer")).json).toMatchObject({ sound_volume: 0, alert_sound_info: "cuckoo" });
    expect((await mine("operator")).json).toMatchObject({ sound_volume: 0.5 });
  });
});

describe("logins", () => {
  // @proves farm.auth.jwt farm.auth.jwt-no-role farm.client-http.token-life
  test("a token is a JWT of 8 hours without a role in it, and another role counts at once", async () => {
    const { id } = await addUser({ email: "fay@farm.example", role: "operator" });
    const login = await logIn("fay@farm.example");
    const token = String(login.json["token"]);
    const [head, claims] = token
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);
    expect(head).toMatchObject({ alg: "HS256" });
    expect(Object.keys(claims ?? {}).toSorted()).toEqual(["exp", "iat", "jti", "userId"]);
    expect(claims).toMatchObject({ userId: id, jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
    expect(Number(claims?.["exp"]) - Number(claims?.["iat"])).toBe(8 * 3_600);
    expect(Math.floor(Date.parse(String(login.json["expiresAt"])) / 1_000)).toBe(claims?.["exp"]);
    const write = () => call("POST", "/api/zones", { token, body: { name: "Z" } });
    expect((await write()).status).toBe(201);
    await call("PUT", `/api/users/${id}`, { ...admin, body: { role: "viewer" } });
    expect((await write()).status).toBe(403);
    expect((await call("GET", "/api/auth/session", { token })).json).toMatchObject({ user: { role: "viewer" } });
  });

  // @proves farm.auth.jwt-needs-session farm.user.token-hashed
  test("a token whose login has ended is worth nothing, and nothing that is kept would make one", async () => {
    const login = await logIn("ben@farm.example");
    const token = String(login.json["token"]);
    expect(await session(token)).toBe(200);
    const kept = JSON.stringify(
      ["users", "user-names", "user-passwords", "user-logins"].map((space) => place.ledger.list(space)),
    );
    expect(kept).not.toContain(token.split(".")[2]);
    await call("POST", "/api/auth/logout", { token });
    expect(await session(token)).toBe(401);
    expect(await session(`${token.slice(0, -4)}AAAA`)).toBe(401);
  });

  // @proves farm.auth.change-password farm.auth.change-password-ends-others
  test("another password needs the present one and eight characters, and ends the other sessions", async () => {
    await addUser({ email: "gus@farm.example" });
    const [one, other] = [await logIn("gus@farm.example"), await logIn("gus@farm.example")];
    const token = String(one.json["token"]);
    const change = (currentPassword: string, newPassword: string) =>
      call("POST", "/api/auth/change-password", { token, body: { currentPassword, newPassword } });
    expect((await change("not the one", "a lantern and a rope")).status).toBe(401);
    expect((await change(SECRET, "7 chars")).status).toBe(400);
    expect((await change(SECRET, "a lantern and a rope")).status).toBe(200);
    expect(await session(token)).toBe(200);
    expect(await session(other.json["token"])).toBe(401);
    expect((await logIn("gus@farm.example")).status).toBe(401);
    expect((await logIn("gus@farm.example", "a lantern and a rope")).status).toBe(200);
  });

  // @proves farm.auth.hash-off-loop
  test("while passwords are checked, others are answered", async () => {
    // Tries that are under way count as failed until they are not, so nobody gets many at once.
    const names = ["ida@farm.example", "ivo@farm.example", "ira@farm.example"];
    for (const email of names) await addUser({ email });
    const order: string[] = [];
    const logins = [...names, ...names, ...names].map(async (email) => {
      expect((await logIn(email)).status).toBe(200);
      order.push("login");
    });
    const health = call("GET", "/api/health", { role: "nobody" }).then(() => order.push("health"));
    await Promise.all([...logins, health]);
    expect(order.at(-1)).toBe("login");
  });

  // @proves farm.auth.throttle
  test("after five failures the sixth is 429 and says how long to wait", async () => {
    const guess = () => logIn("admin@farm.example", "not the one");
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push(await guess());
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(Number(answers[5]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answers[5]?.json).toMatchObject({ error: "Too Many Requests", message: expect.any(String) as unknown });
  });
});

// @proves farm.rest.cors
test("a page of another origin gets no leave to read what the hub answers", async () => {
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(`${place.core}/api/health`, { method, headers: { origin: "https://evil.example", ...headers } });
  for (const answer of [
    await ask("GET", {}),
    await ask("OPTIONS", {
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    }),
  ]) {
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    await answer.text();
  }
});

describe("settings", () => {
  // @proves farm.auth.setup-network-timezone farm.auth.setup-closed farm.tables.settings-keys
  test("network and time zone are set, a time zone has a name, and once there is a user it takes an admin", async () => {
    const network = { dhcp: false, ipAddress: "192.168.1.9", gateway: "192.168.1.1", dns: "192.168.1.1" };
    for (const [path, body] of [
      ["network", network],
      ["timezone", { timezone: "Asia/Dubai" }],
    ] as const) {
      const at = `/api/auth/setup/${path}`;
      expect((await call("POST", at, { role: "nobody", body })).status).toBe(401);
      expect((await call("GET", at, { role: "nobody" })).status).toBe(401);
      expect((await call("POST", at, { body })).status).toBe(403);
      expect((await call("POST", at, { ...admin, body })).status).toBe(200);
      expect((await call("GET", at, admin)).json).toMatchObject(body);
    }
    for (const timezone of ["Mars/Olympus", "+04:00", "", 4]) {
      expect((await call("POST", "/api/auth/setup/timezone", { ...admin, body: { timezone } })).status).toBe(400);
    }
    expect((await call("POST", "/api/auth/setup/network", { ...admin, body: { ipAddress: "300.1.1.1" } })).status).toBe(
      400,
    );
    expect((await call("GET", "/api/settings", admin)).json).toMatchObject({
      network,
      timezone: { timezone: "Asia/Dubai", updatedAt: expect.any(String) as unknown },
    });
    expect((await call("GET", "/api/settings/network", admin)).json).toMatchObject({
      ...network,
      interfaces: expect.any(Array) as unknown,
    });
  });

  // @proves farm.settings-api.masked
  test("they are for admins, unknown ones are refused, and secrets are only told to be there", async () => {
    await place.part.core.settings.set(
      { telegram_bot_token: "123:abc", cloud_config: { url: "https://cloud.example", apiKey: "hunter2" } },
      "import",
    );
    const { json, text } = await call("GET", "/api/settings", admin);
    expect(json).toMatchObject({
      telegram_bot_token: "***configured***",
      cloud_config: { url: "https://cloud.example", apiKey: "***configured***" },
    });
    expect(text).not.toMatch(/123:abc|hunter2/);
    expect((await call("PUT", "/api/settings", { ...admin, body: { locale: "de" } })).json).toMatchObject({
      locale: "de",
    });
    expect((await call("PUT", "/api/settings", { ...admin, body: { color: "red" } })).status).toBe(400);
    for (const path of ["", "/storage", "/network"])
      expect((await call("GET", `/api/settings${path}`)).status).toBe(403);
    expect((await call("GET", "/api/settings/storage", admin)).json).toMatchObject({
      counts: { zones: expect.any(Number) as unknown },
    });
  });

  // @proves farm.settings-api.backup
  test("a backup is made while the hub runs, and the next start takes a restored one up", async () => {
    await call("POST", "/api/zones", { body: { name: "Before the backup" } });
    expect((await call("POST", "/api/settings/backup")).status).toBe(403);
    const { status, json } = await call("POST", "/api/settings/backup", admin);
    expect(status).toBe(200);
    expect(Number(json["bytes"])).toBeGreaterThan(0);
    await call("POST", "/api/zones", { body: { name: "After the backup" } });
    const restore = (name: unknown) => call("POST", "/api/settings/restore", { ...admin, body: { name } });
    for (const name of ["../../etc", "nothing-there", 4]) expect((await restore(name)).status).toBe(400);
    expect((await restore(json["name"])).status).toBe(202);
    // The next start, on a copy: the hub of this test goes on.
    const next = await mkdtemp(join(tmpdir(), "steading-farm-next-"));
    await cp(join(place.dir, "restore"), join(next, "restore"), { recursive: true });
    const store = await openStore({ dir: next, clock: createRealClock(), log: silentLog });
    const names = store.ledger.list("farm.zones").map(({ entry }) => (entry.value as { name: string }).name);
    expect(names).toContain("Before the backup");
    expect(names).not.toContain("After the backup");
    expect(store.disarmed()).toBeDefined();
    await store.close();
    await rm(next, { recursive: true });
  });

  // @proves farm.settings-api.factory-reset
  test("a factory reset needs the password and the word, and then the farm is empty", async () => {
    await call("POST", "/api/equipment", { body: { name: "Probe" } });
    await call("POST", "/api/automations", { body: { name: "Program" } });
    const reset = (body: object, role: "operator" | "admin" = "admin") =>
      call("POST", "/api/settings/factory-reset", { role, body });
    expect((await reset({ password: PASSWORD, confirm: "FACTORY_RESET" }, "operator")).status).toBe(403);
    expect((await reset({ password: PASSWORD, confirm: "yes" })).status).toBe(400);
    expect((await reset({ confirm: "FACTORY_RESET" })).status).toBe(400);
    // Somebody else's failures from this address made the admin's password wait; a second admin has none.
    const { json } = await addUser({ email: "hal@farm.example", role: "admin" });
    expect(json).toMatchObject({ role: "admin" });
    const token = String((await logIn("hal@farm.example")).json["token"]);
    const wrong = { password: "not the one", confirm: "FACTORY_RESET" };
    expect((await call("POST", "/api/settings/factory-reset", { token, body: wrong })).status).toBe(403);
    expect((await call("GET", "/api/equipment")).rows).toHaveLength(1);
    const right = { password: SECRET, confirm: "FACTORY_RESET" };
    expect((await call("POST", "/api/settings/factory-reset", { token, body: right })).status).toBe(200);
    for (const path of ["equipment", "automations", "zones", "alerts"]) {
      expect((await call("GET", `/api/${path}`)).rows).toEqual([]);
    }
    expect((await call("GET", "/api/settings", admin)).json).toEqual({});
  });
});
