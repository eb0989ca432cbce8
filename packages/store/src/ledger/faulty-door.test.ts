import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startChild } from "../child-process.fixture.ts";
import { ROOMY } from "../kill/plan.fixture.ts";
import { openRelayWire } from "../kill/relay-wire.fixture.ts";
import { disturbing, hasStrace } from "../strace.fixture.ts";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

// The real door on the real store on a disk that misbehaves: what goes out, what is refused, what is on record.

const CHILD = new URL("./switching.fixture.ts", import.meta.url);
const TIMEOUT = 60_000;
const TIMES = 60;

interface Switched {
  readonly n: number;
  readonly on: boolean;
  /** A stage, or `refused`. */
  readonly became: string;
  /** The action, or the code of the refusal. */
  readonly of: string;
}

async function switched(rules: readonly string[]) {
  const dir = temporaryDirectory();
  const wires = temporaryDirectory();
  const around = rules.length === 0 ? [] : disturbing([join(dir, "state.db-wal")], ...rules);
  const effects: Switched[] = [];
  let counted = { reservations: 0, outcomes: 0, reserved: 0 };
  for await (const line of startChild(CHILD, [dir, wires, String(TIMES)], around).lines) {
    const [first = "", second = "", third = "", fourth = ""] = line.split(" ");
    if (first === "counted")
      counted = { reservations: Number(second), outcomes: Number(third), reserved: Number(fourth) };
    else if (first !== "open") effects.push({ n: Number(first), on: second === "on", became: third, of: fourth });
  }
  expect(effects).toHaveLength(TIMES);
  const sent = openRelayWire(wires, 0)
    .lines()
    .map(({ key }) => key);
  return { dir, effects, counted, sent };
}

const keys = (effects: readonly Switched[]): string[] => effects.map(({ n }) => `key-${n}`);

describe.skipIf(!hasStrace)("the door on a disk that misbehaves", () => {
  // @proves store.disk-full.safe-effects-go-on store.disk-full.audit-from-reserve store.disk-full.rest-says-why
  test(
    "a full disk stops every ON before its first byte and no OFF, and every OFF is on record",
    { timeout: TIMEOUT },
    async () => {
      const { dir, effects, counted, sent } = await switched(["pwrite64:error=ENOSPC:when=80+"]);
      const refused = effects.filter(({ became }) => became === "refused");
      const went = effects.filter(({ became }) => became === "observed");
      expect(refused.length).toBeGreaterThan(5);
      expect(refused.filter(({ on }) => !on)).toEqual([]);
      expect(new Set(refused.map(({ of }) => of))).toEqual(new Set(["STORE_FULL"]));
      expect(went.length + refused.length).toBe(TIMES);
      expect(sent).toEqual(keys(went));
      expect(counted).toMatchObject({ reservations: 0, outcomes: 0, reserved: expect.any(Number) as number });
      expect(counted.reserved).toBeGreaterThan(5);

      const { ledger } = await openTestStore(dir, { limits: ROOMY });
      const audit = ledger.records("audit");
      expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1));
      const ended = new Set(audit.map(({ data }) => `${String(data["action"])} ${String(data["stage"])}`));
      for (const { of } of went) expect(ended).toContain(`${of} observed`);
    },
  );

  test(
    "a disk that refuses everything stops every ON and no OFF, and what is not on record is counted",
    { timeout: TIMEOUT },
    async () => {
      const { effects, counted, sent } = await switched(["pwrite64:error=EIO:when=80+"]);
      const refused = effects.filter(({ became }) => became === "refused");
      expect(refused.length).toBeGreaterThan(5);
      expect(refused.filter(({ on }) => !on)).toEqual([]);
      expect(new Set(refused.map(({ of }) => of))).toEqual(new Set(["STORE_FAILED"]));
      const offs = effects.filter(({ on }) => !on);
      expect(new Set(offs.map(({ became }) => became))).toEqual(new Set(["observed"]));
      expect(sent).toEqual(keys(effects.filter(({ became }) => became !== "refused")));
      expect(counted.reservations).toBeGreaterThan(5);
      expect(counted.outcomes).toBeGreaterThan(5);
    },
  );

  test(
    "a sync that fails now and then loses nothing that was answered, and nothing goes out twice",
    { timeout: TIMEOUT },
    async () => {
      const { dir, effects, sent } = await switched(["fsync,fdatasync:error=EIO:when=6+5"]);
      expect(new Set(sent).size).toBe(sent.length);
      for (const { on, became } of effects) if (!on) expect(became).toBe("observed");
      const { ledger } = await openTestStore(dir, { limits: ROOMY });
      const audit = ledger.records("audit");
      expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, i) => i + 1));
      const reserved = new Set(
        audit.filter(({ kind }) => kind === "effect.reserved").map(({ correlation }) => correlation),
      );
      const lives = effects.filter(({ on, became }) => on && became !== "refused");
      for (const key of keys(lives)) expect(reserved).toContain(key);
    },
  );
});
