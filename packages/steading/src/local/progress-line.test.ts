import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createRealClock, defineTool, silentLog, type Part } from "@steading/kernel";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { createHub } from "../hub/create-hub.ts";
import { parseSettings } from "../settings/read-settings.ts";
import { runMain } from "../testing/run-main.ts";
import { createProgressLine } from "./progress-line.ts";

function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  return { stream, text: () => String(stream.read() ?? "") };
}

test("at a terminal the share of long work is written over itself and taken away at the end", () => {
  const { stream, text } = terminal();
  const line = createProgressLine(stream);
  line?.show({ progress: 3, total: 20 });
  line?.show({ progress: 4, message: "lamps" });
  line?.clear();
  expect(text()).toBe("\r\u001b[K3 of 20 \r\u001b[K4 lamps\r\u001b[K");
});

test("what a tool says cannot steer the terminal", () => {
  const { stream, text } = terminal();
  createProgressLine(stream)?.show({ progress: 1, message: "\u001b]0;owned\u0007\n\rword" });
  expect(text()).toBe("\r\u001b[K1 ]0;ownedword");
});

test("where nobody watches there is no line at all", () => {
  expect(createProgressLine(new PassThrough())).toBeUndefined();
});

/** A part whose one tool is half done until somebody has seen it. */
function slowPart(seen: Promise<void>): Part {
  const tool = defineTool({
    name: "slow_work",
    title: "Slow work",
    summary: "Takes its time.",
    input: z.object({}),
    output: z.object({}),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    async handler(_, { progress }) {
      progress(1, 2, "half");
      await seen;
      return {};
    },
  });
  return {
    name: "slow",
    toolsets: [{ name: "slow", tools: [tool] }],
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    health: () => ({ status: "ok" }),
  };
}

// @proves steading.command.progress
test("a command shows how far the tool is that it waits for", async () => {
  const dir = mkdtempSync(join(tmpdir(), "steading-progress-"));
  let tellSeen = (): void => {};
  const seen = new Promise<void>((resolve) => (tellSeen = resolve));
  const hub = await createHub({
    settings: parseSettings("listen: [{port: 0}]"),
    data: dir,
    clock: createRealClock(),
    log: silentLog,
    more: () => [slowPart(seen)],
  });
  try {
    await hub.start(new AbortController().signal);
    await hub.serveLocally();
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    let shown = "";
    stderr.setEncoding("utf8").on("data", (piece: string) => (shown += piece));
    const ran = runMain(["call", "slow_work", "--data", dir], { stderr });
    await vi.waitFor(() => expect(shown).toContain("1 of 2 half"), { timeout: 30_000, interval: 10 });
    tellSeen();
    expect(await ran.code).toBe(0);
  } finally {
    tellSeen();
    await hub.stop();
    rmSync(dir, { recursive: true });
  }
});
