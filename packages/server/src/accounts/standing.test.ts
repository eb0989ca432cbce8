import { hours, millis, type Caller } from "@steading/kernel";
import { createTrialDoor, createTrialRelay } from "@steading/kernel/testing";
import { expect, test } from "vitest";
import { startTrialIssuer } from "../testing/trial-issuer.ts";
import { callerNamed, createTrialAccounts, LOCAL, PASSWORD } from "../testing/trial-accounts.ts";
import { IssuerSettings } from "./jwt/issuer-settings.ts";

/** As the gate would make it. */
async function callerWith(
  accounts: ReturnType<typeof createTrialAccounts>["accounts"],
  token: string,
): Promise<Caller> {
  const who = await accounts.authenticate(token);
  if (who === undefined) throw new Error("Nobody has this token");
  const { principal, role, credential } = who;
  return callerNamed(principal, { role, ...(credential === undefined ? {} : { credential }) });
}

test("a caller stands no longer than the token it came with", async () => {
  const { accounts, changes, clock } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  const one = await changes.createToken(LOCAL, { owner: "anna", label: "one" });
  const two = await changes.createToken(LOCAL, { owner: "anna", label: "two", validFor: hours(1) });
  const [first, second] = [await callerWith(accounts, one.token), await callerWith(accounts, two.token)];
  expect([accounts.standing(first), accounts.standing(second)]).toEqual([first, second]);
  await changes.revokeToken(LOCAL, one.info.id);
  expect([accounts.standing(first), accounts.standing(second)]).toEqual([undefined, second]);
  await clock.advance(hours(1));
  expect(accounts.standing(second)).toBeUndefined();
});

test("a caller stands no longer than the login it came with", async () => {
  const { accounts, changes, clock } = createTrialAccounts();
  await changes.create(LOCAL, { name: "anna", role: "admin", password: PASSWORD });
  const login = () => accounts.login({ name: "anna", password: PASSWORD, address: "192.0.2.1", validFor: hours(1) });
  const tokens = [(await login()).token, (await login()).token] as const;
  const [first, second] = [await callerWith(accounts, tokens[0]), await callerWith(accounts, tokens[1])];
  expect([accounts.standing(first), accounts.standing(second)]).toEqual([first, second]);
  await accounts.logout(tokens[0]);
  expect([accounts.standing(first), accounts.standing(second)]).toEqual([undefined, second]);
  await clock.advance(hours(1));
  expect(accounts.standing(second)).toBeUndefined();
});

test.each(["", "token:", "token:../x", "login:1", "login:x:y", "issuer:soon", "whatever"])(
  "the credential %j stands for nothing",
  async (credential) => {
    const { accounts, changes } = createTrialAccounts();
    await changes.create(LOCAL, { name: "anna", role: "admin" });
    expect(accounts.standing(callerNamed("anna", { credential }))).toBeUndefined();
    expect(accounts.standing(callerNamed("keycloak:abc", { credential }))).toBeUndefined();
  },
);

test("a caller of another issuer stands until its token would have expired", async () => {
  const issuer = await startTrialIssuer();
  try {
    const settings = { name: "club", issuer: issuer.url, jwksUrl: issuer.jwksUrl };
    const publicUrl = "https://hub.example";
    const { accounts, clock } = createTrialAccounts({ publicUrl, issuers: [IssuerSettings.parse(settings)] });
    const exp = Math.floor(clock.now() / 1_000) + 3_600;
    const token = await issuer.sign({ iss: issuer.url, sub: "u-17", aud: `${publicUrl}/mcp`, exp, scope: "mcp" });
    const caller = await callerWith(accounts, token);
    expect(accounts.standing(caller)).toEqual(caller);
    await clock.advance(hours(1));
    expect(accounts.standing(caller)).toBeUndefined();
  } finally {
    await issuer.close();
  }
});

test("an effect that waited for its approval is not sent once the asker's token is revoked", async () => {
  const { accounts, changes, clock, ledger } = createTrialAccounts();
  const trial = createTrialDoor({ ledger, clock, standing: accounts.standing });
  const relay = createTrialRelay(trial);
  await changes.create(LOCAL, { name: "anna", role: "admin" });
  const { token, info } = await changes.createToken(LOCAL, { owner: "anna", label: "laptop" });
  const caller = await callerWith(accounts, token);
  const effect = relay.effect(true, { caller, confirm: "approve" });
  const waiting = trial.door.perform(effect, { onApproval: "wait" });
  waiting.catch(() => {});
  await clock.advance(millis(0));
  const [asked] = trial.approvals.pending();
  await changes.revokeToken(LOCAL, info.id);
  await trial.approvals.decide(asked?.id ?? "", LOCAL, true);
  await expect(waiting).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  expect(relay.sends).toBe(0);
});
