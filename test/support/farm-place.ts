import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFarmPart, type FarmPart } from "@steading/farm";
import {
  createApprovals,
  createDispatcher,
  createDoor,
  createJournal,
  createRealClock,
  createReception,
  silentLog,
  type Caller,
  type Ledger,
  type Role,
} from "@steading/kernel";
import {
  createAccountDesk,
  createAccounts,
  createServer,
  type WorkingAccountDesk,
  type WorkingAccounts,
} from "@steading/server";
import { createVirtualFarm, type FarmAddresses, type VirtualFarm } from "@steading/sim";
import { openStore, stageRestore } from "@steading/store";
import { createGraph } from "@steading/subjects";

export interface FarmPlace {
  /** Everything: console, REST and MCP. */
  readonly core: string;
  /** The farm toolset exactly and only. */
  readonly mcp: string;
  readonly part: FarmPart;
  readonly sim: VirtualFarm;
  readonly addresses: FarmAddresses;
  /** Everything that is kept, as it is on disk. */
  readonly ledger: Ledger;
  readonly accounts: WorkingAccounts;
  /** Where all of it is. */
  readonly dir: string;
  readonly desk: WorkingAccountDesk;
  /** Logs in over REST; the account is made when it is not there yet. */
  login(role: Role): Promise<string>;
  close(): Promise<void>;
}

const SECRET = new TextEncoder().encode("Vb7nR2kQ9mX4tZ1wH6yL8cD3fG5jP0sU");
/** Whoever holds the machine. */
export const LOCAL: Caller = { principal: "local", role: "admin", transport: "cli", correlation: "test" };
export const PASSWORD = "wren under the eaves";

/** A farm with store, accounts and shell, on real sockets, its equipment simulated byte for byte. */
export async function startFarmPlace(): Promise<FarmPlace> {
  const dir = await mkdtemp(join(tmpdir(), "steading-farm-"));
  const sim = createVirtualFarm();
  const addresses = await sim.start();
  const clock = createRealClock();
  const log = silentLog;
  const store = await openStore({ dir, clock, log });
  const { ledger, history } = store;
  const journal = createJournal({ ledger, clock, log });
  const approvals = createApprovals({ ledger, journal, clock });
  const reception = createReception(clock);
  const accounts = createAccounts({ ledger, journal, clock, log, secret: SECRET });
  const { standing } = accounts;
  const door = createDoor({ ledger, journal, clock, reception, approvals, log, access: () => "write", standing });
  const desk = createAccountDesk({ accounts, ledger, door, reception });
  const graph = createGraph({ clock, log });
  const backups = {
    async make(name: string) {
      const { madeAt, files } = await store.backup(join(dir, "backups", name));
      return { madeAt, bytes: Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    restore: async (name: string) => void (await stageRestore({ dir, from: join(dir, "backups", name), clock })),
  };
  const api = { accounts, desk, backups };
  const part = createFarmPart({
    graph,
    door,
    journal,
    ledger,
    history,
    reception,
    clock,
    log,
    version: "9.9.9",
    timeoutMs: 400,
    api,
  });
  const dispatcher = createDispatcher({ toolsets: part.toolsets, door, clock, log });
  const server = createServer({
    dispatcher,
    resources: part.resources ?? [],
    authenticator: accounts,
    info: { name: "sensehub", version: "1.0.0" },
    instructions: "A farm.",
    clock,
    log,
    parts: [part],
    health: () => part.health(),
    ssePostAuth: "session",
  });
  const stopping = new AbortController();
  await part.start(stopping.signal);
  const core = await server.listen({ host: "127.0.0.1", port: 0 });
  const mcp = await server.listen({ host: "127.0.0.1", port: 0, serve: ["mcp:farm"] });

  return {
    core: core.url,
    mcp: mcp.url,
    part,
    sim,
    addresses,
    ledger,
    accounts,
    dir,
    desk,
    async login(role) {
      const name = `${role}@farm.example`;
      if (!accounts.find(name))
        await accounts.changes.create(LOCAL, { name, displayName: role, role, password: PASSWORD });
      const answer = await fetch(`${core.url}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: name, password: PASSWORD }),
      });
      const { token } = (await answer.json()) as { token: string };
      return token;
    },
    async close() {
      await server.close();
      stopping.abort();
      await part.stop();
      await graph.close();
      await store.close();
      await sim.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
