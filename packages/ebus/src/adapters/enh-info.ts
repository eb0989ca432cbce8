import { millis, type Cancel, type Clock } from "@steading/kernel";
import { infoIdsFor, readAdapterInfo, type AdapterInfo } from "./adapter-info.ts";

const ANSWER_WAIT = millis(1_000);

export interface InfoReader {
  /** Asks one question. Undefined: no answer, or another question ended it. */
  ask(id: number): Promise<Uint8Array | undefined>;
  /** A byte of the answer under way: first the length, then the data. */
  byte(byte: number): void;
  /** The adapter started over, or the link has ended. */
  drop(): void;
}

/** One question at a time: answers carry no id, so the next question ends the one before. */
export function createInfoReader({
  clock,
  request,
}: {
  readonly clock: Clock;
  readonly request: (id: number) => void;
}): InfoReader {
  let open: { finish(answer?: Uint8Array): void; length: number | undefined; readonly data: number[] } | undefined;

  return {
    ask(id) {
      open?.finish();
      return new Promise((resolve) => {
        let timer: Cancel | undefined = undefined;
        const asked = {
          length: undefined,
          data: [],
          finish(answer?: Uint8Array): void {
            timer?.();
            if (open === asked) open = undefined;
            resolve(answer);
          },
        };
        open = asked;
        timer = clock.timer(ANSWER_WAIT, () => asked.finish());
        request(id);
      });
    },
    byte(byte) {
      if (!open) return;
      if (open.length === undefined) open.length = byte;
      else open.data.push(byte);
      if (open.data.length === open.length) open.finish(Uint8Array.from(open.data));
    },
    drop: () => open?.finish(),
  };
}

/** What changes while an adapter runs; the rest is asked once. */
const TELEMETRY: ReadonlySet<number> = new Set([0x03, 0x04, 0x05, 0x07]);

export interface AdapterIdentity {
  readonly info: AdapterInfo;
  /** Which questions about its present condition it can answer. */
  readonly telemetryIds: readonly number[];
}

/** Who the adapter is, asked one question after the other. Questions its version does not know are left out. */
export async function readIdentity(ask: InfoReader["ask"]): Promise<AdapterIdentity | undefined> {
  const version = await ask(0x00);
  if (version === undefined) return undefined;
  const ids = infoIdsFor(version);
  const lasting = ids.filter((id) => !TELEMETRY.has(id));
  const info = { ...readAdapterInfo(0x00, version), ...(await readAnswers(ask, lasting)) };
  return { info, telemetryIds: ids.filter((id) => TELEMETRY.has(id)) };
}

/** The answers to these questions; what is not answered is left out. */
export async function readAnswers(ask: InfoReader["ask"], ids: readonly number[]): Promise<AdapterInfo> {
  let info: AdapterInfo = {};
  for (const id of ids) {
    const answer = await ask(id);
    if (answer) info = { ...info, ...readAdapterInfo(id, answer) };
  }
  return info;
}
