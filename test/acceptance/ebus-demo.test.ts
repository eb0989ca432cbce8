import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { jsonFileAppears } from "../support/file-appears.ts";
import { BOOTSTRAP_TOKEN, processEnd } from "../support/hub-process.ts";
import { CLIENTS } from "../support/mcp-clients.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { plainEnvironment, STEADING_COMMAND } from "../support/steading-command.ts";

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let demo: ChildProcess;
let mcp: string;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const ready = folder.at("ready.json");
  const ports = ["--port", "--farm-port", "--device-port", "--mqtt-port"].flatMap((flag) => [flag, "0"]);
  demo = spawn(process.execPath, [STEADING_COMMAND, "demo", ...ports, "--ready-file", ready], {
    env: { ...plainEnvironment(), STEADING_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN },
    stdio: "ignore",
  });
  const ended = new AbortController();
  void processEnd(demo).then((end) => ended.abort(new Error(`The demo ended early: ${JSON.stringify(end)}`)));
  ({ mcp } = (await jsonFileAppears(ready, ended.signal)) as { mcp: string }); // the ready file always names it
});
afterAll(async () => {
  demo.kill("SIGTERM");
  await processEnd(demo);
  await folder.remove();
});

test(
  "the demo shows the whole heating: every device of the house is below /heating",
  { timeout: 150_000 },
  async () => {
    const [client] = CLIENTS;
    if (!client) throw new Error("There is no client to ask with.");
    const caller = await client.connect({ over: "http", mcp, token: BOOTSTRAP_TOKEN });
    const heating = async (): Promise<string> =>
      JSON.stringify((await caller.call("query", { path: "/heating", depth: 3, includeProperties: true })).json);
    await vi.waitFor(
      async () => {
        const shown = await heating();
        for (const id of ["BASV2", "BAI00", "VR_71", "NETX3", "VR_92"]) expect(shown).toContain(id);
      },
      { timeout: 120_000, interval: 500 },
    );
    await caller.close();
  },
);
