import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { secret } from "../../../../test/support/run-record.ts";
import { parseSettings } from "../settings/read-settings.ts";
import { createHub } from "./create-hub.ts";

const LONG = 60_000; // a busy machine takes its time for a whole hub

test(
  "between listening and its own first account, no stranger becomes the first",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "steading-farm-"));
    const settings = parseSettings("listen: [{port: 0}]\nfarm: {}");
    const hub = await createHub({ settings, data: dir, clock: createRealClock(), log: silentLog });
    try {
      await hub.start(new AbortController().signal);
      const { url } = await hub.listen();
      const answer = await fetch(`${url}/api/auth/setup`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "eve@farm.example", password: secret("eve was here first"), name: "Eve" }),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining("steading user add") as unknown });
      const token = (await hub.firstToken()) ?? expect.fail("the first account is the hub's own");
      expect(await hub.accepts(secret(token))).toBe(true);
    } finally {
      await hub.stop();
      rmSync(dir, { recursive: true });
    }
  },
  LONG,
);

test(
  "the addresses of a hub name the farm's port, unless the settings have none",
  async () => {
    for (const [text, expected] of [
      ["farm: {}", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown],
      ["farm: {port: null}", undefined],
      ["", undefined],
    ] as const) {
      const dir = mkdtempSync(join(tmpdir(), "steading-farm-"));
      const settings = parseSettings(`listen: [{port: 0}]\n${text}`);
      const hub = await createHub({ settings, data: dir, clock: createRealClock(), log: silentLog });
      try {
        await hub.start(new AbortController().signal);
        expect((await hub.listen()).farm).toEqual(expected);
      } finally {
        await hub.stop();
        rmSync(dir, { recursive: true });
      }
    }
  },
  LONG,
);
