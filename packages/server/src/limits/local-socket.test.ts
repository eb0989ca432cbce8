import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startShell } from "../testing/start-shell.ts";

test("the local socket takes only so many connections, and counts those it does not take", async () => {
  const dir = await mkdtemp(join(tmpdir(), "stead-"));
  const shell = await startShell({ limits: { socketConnections: 2 } });
  const sockets: Socket[] = [];
  try {
    const path = join(dir, "s.sock");
    await shell.server.serveSocket(path);
    const open = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(path, () => setImmediate(() => resolve("open")));
        socket.on("error", () => {}).once("close", () => resolve("closed"));
        sockets.push(socket);
      });
    await open();
    await open();
    await open();
    await expect
      .poll(() => shell.server.metrics())
      .toContain('steading_http_refused_total{why="local_connections"} 1\n');
    await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([false, false, true]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await shell.close();
    await rm(dir, { recursive: true });
  }
});
