import { hashSync } from "bcryptjs";
import { expect, test } from "vitest";
import { createPasswordHashes } from "./password-hashes.ts";

const limits = { hashing: 2, hashingWaiting: 2, passwordBytes: 1_024 };
const PASSWORD = "mole carries lantern";

test("a hash is argon2id with a salt of its own, and only its password matches", async () => {
  const hashes = createPasswordHashes(limits);
  const [one, two] = await Promise.all([hashes.hash(PASSWORD), hashes.hash(PASSWORD)]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await hashes.verify(one, PASSWORD)).toBe(true);
  expect(await hashes.verify(one, `${PASSWORD}!`)).toBe(false);
  expect(hashes.isOld(one)).toBe(false);
});

test.each(["2a", "2b", "2y"])(
  "a bcrypt hash of the form $%s$ is checked, on a thread of its own, and is old",
  async (form) => {
    const hashes = createPasswordHashes(limits);
    const stored = hashSync(PASSWORD, 4).replace("$2b$", `$${form}$`);
    hashes.checkImported(stored);
    expect(await hashes.verify(stored, PASSWORD)).toBe(true);
    expect(await hashes.verify(stored, "mole carries lamp")).toBe(false);
    expect(hashes.isOld(stored)).toBe(true);
  },
);

test("the event loop goes on while an old hash is checked", async () => {
  const hashes = createPasswordHashes(limits);
  const stored = hashSync(PASSWORD, 10);
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await hashes.verify(stored, PASSWORD);
  done = true;
  expect(turns).toBeGreaterThan(10);
});

test("an argon2id hash with less work than ours is old", async () => {
  const hashes = createPasswordHashes(limits);
  expect(hashes.isOld("$argon2id$v=19$m=4096,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b27ng")).toBe(true);
});

test("without an account the work is done and the answer is no", async () => {
  const hashes = createPasswordHashes(limits);
  expect(await hashes.verify(undefined, PASSWORD)).toBe(false);
  expect(await hashes.verify(undefined, "no password is this one")).toBe(false);
});

test("a password too long to be one is wrong, whatever is stored", async () => {
  const hashes = createPasswordHashes(limits);
  const stored = hashSync("x".repeat(72), 4);
  expect(await hashes.verify(stored, "x".repeat(2_000_000))).toBe(false);
});

test.each([
  ["$2b$31$kvTxHR3jnCYxzdKIAgVbY.bMaVXJqyHfC3dZVnpZ3nBzqBQqPJLhK", "would take days"],
  ["$argon2id$v=19$m=4194304,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b27ng", "4 GiB"],
  ["$argon2id$nonsense", "not whole"],
  ["$argon2i$v=19$m=4096,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b27ng", "another kind"],
  ["5f4dcc3b5aa765d61d8327deb882cf99", "MD5"],
  ["hunter2", "not a hash"],
])("the hash %s is refused: %s", (stored) => {
  expect(() => createPasswordHashes(limits).checkImported(stored)).toThrow(
    expect.objectContaining({ code: "HASH_REFUSED" }),
  );
});

test("more checks than there is room for are refused at once, the others all run", async () => {
  const hashes = createPasswordHashes(limits);
  const tried = await Promise.allSettled(Array.from({ length: 6 }, () => hashes.verify(undefined, PASSWORD)));
  expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
  expect(tried.at(-1)).toMatchObject({ reason: { code: "LOGIN_BUSY", retryable: true } });
  expect(hashes.places).toMatchObject({ running: 0, waiting: 0, refused: 2 });
});
