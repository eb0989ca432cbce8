import type { Lamp, LampState } from "@steading/sim";
import { switchesSince, wireMark } from "../support/lamp-wire.ts";
import { isRecord, type ToolAnswer, type ToolCaller } from "../support/tool-caller.ts";
import type { ClientJournal } from "./client-journal.ts";

/**
 * Writes to one lamp, one key after the other, over any number of hubs that die under it. A key that died with its hub is
 * repeated with the next one; so whatever reaches the lamp's wire between two keys belongs to the first.
 */
export interface LampWriter {
  /** Writes until the hub dies. */
  writeUntilDeath(caller: ToolCaller): Promise<void>;
  /** Repeats every key that is not answered yet, until it is. */
  finish(caller: ToolCaller): Promise<void>;
  readonly complaints: readonly string[];
}

interface Key {
  readonly key: string;
  readonly value: boolean;
  /** Where on the wire its time began. */
  mark: number;
  /** What reached the wire in its time. */
  commands: readonly LampState[];
  /** Hubs that died with it. */
  deaths: number;
  answer?: ToolAnswer;
}

/** A key in doubt is answered only after a look at the lamp, which outlasts a short-lived hub; others go on meanwhile. */
const DEATHS_UNTIL_PUT_OFF = 2;

export function createLampWriter({
  name,
  lamp,
  journal,
  onAnswer,
}: {
  name: string;
  lamp: Lamp;
  journal: ClientJournal;
  onAnswer: () => void;
}): LampWriter {
  const complaints: string[] = [];
  const putOff: Key[] = [];
  let keys = 0;
  /** The key whose time on the wire it is. */
  let current: Key | undefined;

  /** Always the other state: then the wire, the lamp and the answer must tell the same story. */
  function nextKey(): Key {
    if (current) settle(current);
    keys += 1;
    return { key: `${name}-${keys}`, value: lamp.state === "off", mark: wireMark(lamp), commands: [], deaths: 0 };
  }

  async function ask(caller: ToolCaller, asked: Key): Promise<ToolAnswer> {
    const { key, value } = asked;
    try {
      return await caller.call("set_property", { path: `/lamps/${name}/on`, value, idempotency_key: key });
    } catch (error) {
      asked.deaths += 1;
      throw error;
    }
  }

  async function write(caller: ToolCaller, asked: Key): Promise<void> {
    const { key, value } = asked;
    journal.add({ kind: "sent", lamp: name, key, value });
    const answer = await ask(caller, asked);
    onAnswer();
    const { receipt, code } = answer.json;
    if (isRecord(receipt)) {
      asked.answer = answer;
      const { action, stage } = receipt;
      journal.add({ kind: "answered", lamp: name, key, action: String(action), stage: String(stage) });
      return;
    }
    journal.add({ kind: "refused", lamp: name, key, code: String(code) });
    // A hub that has just started may still be on its way to the lamp; nothing else is a reason to refuse.
    if (code !== "SOURCE_UNAVAILABLE") throw new Error(`${key} was refused: ${JSON.stringify(answer.json)}`);
  }

  /** A hub that starts afterwards must answer the same. What was unknown may be known by now, so that is left alone. */
  async function repeatAnswered(caller: ToolCaller): Promise<void> {
    const first = current?.answer;
    if (!current || first?.isError !== false) return;
    const again = await ask(caller, current);
    if (JSON.stringify(again) !== JSON.stringify(first)) {
      complaints.push(`${current.key} was answered ${JSON.stringify(first)} and later ${JSON.stringify(again)}`);
    }
  }

  /** The key's time on the wire is over. */
  function settle(settled: Key): void {
    const { key, value, mark, answer } = settled;
    const commands = switchesSince(lamp, mark);
    journal.add({ kind: "on-the-wire", lamp: name, key, commands });
    settled.commands = [...settled.commands, ...commands];
    const wanted: LampState = value ? "on" : "off";
    if (settled.commands.length > 1 || (commands[0] ?? wanted) !== wanted) {
      complaints.push(`${key} put ${settled.commands.join(", ")} on the wire`);
    }
    // The lamp was in the other state when this key came, and nobody else wrote: only its own command can have changed
    // that. After a key was put off the lamp goes on without it, and the answer may speak of an earlier moment.
    if (answer?.isError === false && !putOff.includes(settled) && (commands.length !== 1 || lamp.state !== wanted)) {
      complaints.push(`${key} was confirmed, with ${commands.length} commands on the wire and the lamp ${lamp.state}`);
    }
  }

  async function writeNext(caller: ToolCaller): Promise<void> {
    if (current && !current.answer && current.deaths >= DEATHS_UNTIL_PUT_OFF) putOff.push(current);
    else if (current && !current.answer) return write(caller, current);
    current = nextKey();
    return write(caller, current);
  }

  /** Each has its time on the wire once more: a key that no hub ever saw is sent, all others are only looked at. */
  async function finishPutOff(caller: ToolCaller): Promise<void> {
    for (const each of putOff) {
      each.mark = wireMark(lamp);
      while (!each.answer) await write(caller, each);
      settle(each);
    }
  }

  return {
    async writeUntilDeath(caller) {
      try {
        await repeatAnswered(caller);
        for (;;) await writeNext(caller);
      } catch (error) {
        if (!isHangUp(error)) throw error;
      }
    },
    async finish(caller) {
      await repeatAnswered(caller);
      while (current && !current.answer) await write(caller, current);
      if (current) settle(current);
      current = undefined;
      await finishPutOff(caller);
    },
    complaints,
  };
}

/** Did the other side vanish? Anything else that is thrown is a fault of its own. */
export function isHangUp(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = "code" in cause ? cause.code : undefined;
    if (code === "ECONNREFUSED" || code === "ECONNRESET" || code === "UND_ERR_SOCKET") return true;
  }
  return false;
}
