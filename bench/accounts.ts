import { createHmac, generateKeyPairSync, sign, timingSafeEqual, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createJournal, createRealClock, silentLog, type Caller } from "@steading/kernel";
import { createAccounts, IssuerSettings } from "@steading/server";
import { openStore } from "@steading/store";

// What it costs to find out who a credential stands for when nobody remembers it, on the product's own store, against
// the bare signature check of Node itself. Behind the shell's memory this is paid once a minute for each token.

const { values: flags } = parseArgs({
  options: { seconds: { type: "string", default: "1" }, accounts: { type: "string", default: "10,100,900" } },
});
const PASSWORD = "mole carries lantern";
const LOCAL: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "bench" };
const secret = new TextEncoder().encode("Qm3vT8xK1nZ6rB9wL4yH7cD2fG5jP0sU");

/** Processor microseconds and runs a second, one after the other. */
async function measure(run: () => Promise<unknown>): Promise<{ cpu: number; perSecond: number }> {
  for (let i = 0; i < 20; i++) await run();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let runs = 0;
  while (performance.now() - started < Number(flags.seconds) * 1_000) {
    await run();
    runs++;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / runs, perSecond: (runs * 1_000) / (performance.now() - started) };
}

// @proves mcp.figures.jwt-verify
const ALGORITHMS = {
  RS256: { ...generateKeyPairSync("rsa", { modulusLength: 2048 }), digest: "sha256" },
  ES256: { ...generateKeyPairSync("ec", { namedCurve: "P-256" }), digest: "sha256" },
  EdDSA: { ...generateKeyPairSync("ed25519"), digest: undefined },
} as const;
type Algorithm = keyof typeof ALGORITHMS;
const algorithms = Object.keys(ALGORITHMS) as Algorithm[];
const keys = algorithms.map((alg) => ({ ...ALGORITHMS[alg].publicKey.export({ format: "jwk" }), alg, kid: alg }));
const p1363 = { dsaEncoding: "ieee-p1363" } as const;

function signed(alg: Algorithm, claims: object): string {
  const { privateKey, digest } = ALGORITHMS[alg];
  const parts = [{ alg, kid: alg }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const text = parts.join(".");
  return `${text}.${sign(digest, Buffer.from(text), { key: privateKey, ...p1363 }).toString("base64url")}`;
}
function split(token: string): { text: Buffer; signature: Buffer } {
  const dot = token.lastIndexOf(".");
  return { text: Buffer.from(token.slice(0, dot)), signature: Buffer.from(token.slice(dot + 1), "base64url") };
}
async function bareHs256(token: string): Promise<boolean> {
  const { text, signature } = split(token);
  return timingSafeEqual(createHmac("sha256", secret).update(text).digest(), signature);
}
async function bare(alg: Algorithm, token: string): Promise<boolean> {
  const { text, signature } = split(token);
  const { publicKey, digest } = ALGORITHMS[alg];
  return verify(digest, text, { key: publicKey, ...p1363 }, signature);
}

const issuer = createServer((_req, res) => res.end(JSON.stringify({ keys })));
await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${flags.seconds} s each, SQLite`);
console.log("what                                     accounts   per second   CPU µs   × bare");
function print(what: string, accounts: number, { cpu, perSecond }: { cpu: number; perSecond: number }, floor?: number) {
  const ratio = floor === undefined ? "" : (cpu / floor).toFixed(2);
  const columns = [String(accounts).padStart(8), perSecond.toFixed(0).padStart(12), cpu.toFixed(1).padStart(8)];
  console.log(`${what.padEnd(40)} ${columns.join(" ")} ${ratio.padStart(8)}`);
}

for (const count of flags.accounts.split(",").map(Number)) {
  const dir = await mkdtemp(join(tmpdir(), "stead-"));
  const clock = createRealClock();
  const store = await openStore({ dir, clock, log: silentLog });
  const { ledger } = store;
  const accounts = createAccounts({
    ledger,
    journal: createJournal({ ledger, clock, log: silentLog }),
    clock,
    log: silentLog,
    secret,
    publicUrl: "https://hub.example",
    issuers: [IssuerSettings.parse({ name: "club", issuer: url, jwksUrl: url })],
  });
  await accounts.changes.create(LOCAL, { name: "anna", role: "operator", password: PASSWORD });
  for (let i = 1; i < count; i++) await accounts.changes.create(LOCAL, { name: `user${i}`, role: "viewer" });
  const { token } = await accounts.changes.createToken(LOCAL, { owner: "anna", label: "bench" });
  const login = () => accounts.login({ name: "anna", password: PASSWORD, address: "127.0.0.1" });
  const { token: jwt } = await login();
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const claims = { iss: url, sub: "u", aud: "https://hub.example/mcp", scope: "mcp", exp };
  const hs256 = await measure(() => bareHs256(jwt));
  print("bare HS256 signature", count, hs256);
  print("access token", count, await measure(() => accounts.authenticate(token)), hs256.cpu);
  print("login token, role from the account", count, await measure(() => accounts.authenticate(jwt)), hs256.cpu);
  for (const alg of algorithms) {
    const foreign = signed(alg, claims);
    const floor = await measure(() => bare(alg, foreign));
    print(`bare ${alg} signature`, count, floor);
    print(`issuer's token, ${alg}`, count, await measure(() => accounts.authenticate(foreign)), floor.cpu);
  }
  print("login with a password", count, await measure(login), hs256.cpu);
  await store.close();
  await rm(dir, { recursive: true });
}
issuer.close();
issuer.closeAllConnections();
