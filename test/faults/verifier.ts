/**
 * The verifier: a fresh process that compares three records of the same events: what the client wrote down, what is on
 * the hub's disk and said by the product, and what the lamps counted. Prints a Finding as JSON.
 */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createRealClock, silentLog } from "@steading/kernel";
import { openStore } from "@steading/store";
import { startHub } from "../support/hub-process.ts";
import { connect2026 } from "../support/mcp-clients.ts";
import { isRecord, type ToolCaller } from "../support/tool-caller.ts";
import { readClientJournal, type JournalLine } from "./client-journal.ts";
import type { Evidence, Finding } from "./verifier-process.ts";

const evidence = JSON.parse(process.argv[2] ?? "") as Evidence; // given by verifier-process.ts
const lines = readClientJournal(evidence.journal);
const complaints: string[] = [];

const sentKeys = new Set(only("sent").map(({ key }) => key));
const answers = only("answered");
await compareWithDisk();
const inDoubt = await compareWithProduct();
const commands = await compareWithLamps();

const finding: Finding = { complaints, counts: { sent: sentKeys.size, answered: answers.length, inDoubt, commands } };
process.stdout.write(JSON.stringify(finding));

function only<K extends JournalLine["kind"]>(kind: K): Extract<JournalLine, { kind: K }>[] {
  return lines.filter((line): line is Extract<JournalLine, { kind: K }> => line.kind === kind);
}

/** Every answered action has its record in the audit stream, whose sequence has no gap. */
async function compareWithDisk(): Promise<void> {
  const store = await openStore({ dir: evidence.data, clock: createRealClock(), log: silentLog });
  const recorded = new Set<string>();
  let after = 0;
  for (;;) {
    const page = store.ledger.records("audit", { after });
    if (page.length === 0) break;
    for (const record of page) {
      if (record.seq !== after + 1) complaints.push(`The audit stream jumps from ${after} to ${record.seq}`);
      after = record.seq;
      const { action, stage } = record.data;
      if (typeof action === "string" && typeof stage === "string") recorded.add(`${action} ${stage}`);
    }
  }
  await store.close();
  for (const { key, action, stage } of answers) {
    if (!recorded.has(`${action} ${stage}`))
      complaints.push(`${key} was answered ${stage}, and the disk has no such record of ${action}`);
  }
}

/** A fresh hub tells the same of every answered action, and lists those that are still unknown as in doubt. */
async function compareWithProduct(): Promise<number> {
  const hub = await startHub(evidence);
  const caller = await connect2026({ over: "http", mcp: hub.mcp, token: hub.token }, { pin: "2026-07-28" });
  const foundOut = new Set<string>();
  for (const { key, action, stage } of answers) {
    const { json } = await caller.call("get_action", { id: action });
    const told = isRecord(json["receipt"]) ? json["receipt"]["stage"] : json["code"];
    if (told === "observed" && commandsOf(key) !== 1)
      complaints.push(`${key} is told as observed, and ${commandsOf(key)} of its commands reached a lamp`);
    // Every start looks once more at what is unknown, and may see it.
    if (stage === "unknown" && told === "observed") foundOut.add(action);
    else if (told !== stage) complaints.push(`${key} was answered ${stage}, and get_action says ${String(told)}`);
  }
  const listed = await actionsInDoubt(caller);
  const unknown = new Set(answers.filter(({ stage }) => stage === "unknown").map(({ action }) => action));
  for (const action of unknown)
    if (!listed.has(action) && !foundOut.has(action))
      complaints.push(`${action} was answered unknown and is not listed as in doubt`);
  for (const action of listed)
    if (!unknown.has(action)) complaints.push(`${action} is listed as in doubt and was not answered unknown`);
  await caller.close();
  await hub.stop();
  return listed.size;
}

async function actionsInDoubt(caller: ToolCaller): Promise<Set<string>> {
  const { structured } = await caller.call("list_actions", { in_doubt: true, limit: 200 });
  const actions: unknown = structured?.["actions"];
  if (!Array.isArray(actions)) throw new Error(`list_actions answered ${JSON.stringify(structured)}`);
  if (structured?.["cut"] !== false) complaints.push("More actions are in doubt than list_actions shows at once");
  return new Set(actions.map((action: unknown) => String(isRecord(action) ? action["id"] : action)));
}

function commandsOf(key: string): number {
  const seen = only("on-the-wire").filter((line) => line.key === key);
  return seen.reduce((sum, { commands }) => sum + commands.length, 0);
}

/** Each lamp's own counter equals what the client saw on its wire, key by key; no key has more than one. */
async function compareWithLamps(): Promise<number> {
  let total = 0;
  for (const { name, host, port } of evidence.lamps) {
    const perKey = new Map<string, number>();
    for (const line of only("on-the-wire")) {
      if (line.lamp === name) perKey.set(line.key, (perKey.get(line.key) ?? 0) + line.commands.length);
    }
    for (const [key, times] of perKey) if (times > 1) complaints.push(`${key} reached the wire ${times} times`);
    const expected = [...perKey.values()].reduce((sum, times) => sum + times, 0);
    const counted = await askCounter(host, port);
    if (counted !== expected)
      complaints.push(`${name} counted ${counted} commands, and the keys account for ${expected}`);
    total += counted;
  }
  return total;
}

async function askCounter(host: string, port: number): Promise<number> {
  const socket = connect({ host, port });
  socket.end("#\n");
  const answer = await text(socket);
  if (!/^N\d+\n$/.test(answer)) throw new Error(`The lamp answered ${JSON.stringify(answer)} to #.`);
  return Number(answer.slice(1));
}
