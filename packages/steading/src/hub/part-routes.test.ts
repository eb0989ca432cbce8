import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRealClock, silentLog, type Part } from "@steading/kernel";
import { expect, test } from "vitest";
import { parseSettings } from "../settings/read-settings.ts";
import { createHub } from "./create-hub.ts";

const LONG = 60_000; // a busy machine takes its time for a whole hub

const gate: Part = {
  name: "gate",
  toolsets: [],
  routes: [
    {
      method: "GET",
      path: "/api/gate",
      role: "viewer",
      input: {},
      handle: async (_input, { caller }) => ({ body: { open: false, asked: caller.principal } }),
    },
  ],
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  health: () => ({ status: "ok" }),
};

// @proves steading.listen.setting-says-what-is-served steading.listen.unlisted-not-served
test(
  "a hub serves the routes of its parts with its own accounts, on the listeners that its settings name",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "steading-routes-"));
    const settings = parseSettings(
      "listen: [{port: 0}, {port: 0, serve: [gate-api]}, {port: 0, serve: ['mcp:actions']}]",
    );
    const hub = await createHub({ settings, data: dir, clock: createRealClock(), log: silentLog, more: () => [gate] });
    try {
      await hub.start(new AbortController().signal);
      const { urls } = await hub.listen();
      const token = (await hub.firstToken()) ?? expect.fail("the first start makes a token");
      const statuses = await Promise.all(
        urls.map(async (url) => {
          const get = async (path: string, headers = {}) => (await fetch(`${url}${path}`, { headers })).status;
          const authorization = { authorization: `Bearer ${token}` };
          return [
            await get("/api/gate"),
            await get("/api/gate", authorization),
            await get("/mcp"),
            await get("/health"),
          ];
        }),
      );
      expect(statuses).toEqual([
        [401, 200, 401, 200],
        [401, 200, 404, 200],
        [404, 404, 401, 200],
      ]);
    } finally {
      await hub.stop();
      rmSync(dir, { recursive: true });
    }
  },
  LONG,
);

test(
  "a listener that is to serve what is not there says so when it opens",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "steading-routes-"));
    const settings = parseSettings("listen: [{port: 0, serve: [barn-api]}]");
    const hub = await createHub({ settings, data: dir, clock: createRealClock(), log: silentLog });
    try {
      await expect(hub.listen()).rejects.toMatchObject({
        code: "LISTEN_REFUSED",
        message: expect.stringMatching(/^listen\[0\]\.serve names barn-api/),
      });
    } finally {
      await hub.stop();
      rmSync(dir, { recursive: true });
    }
  },
  LONG,
);
