// A host of its own making: it shares no code with the house, so that a mistake in one shows in the other.

export type ClientOutcome = "done" | "nack" | "crc" | "timeout" | "lost" | "echo" | "protocol" | "reset";

export interface ClientResult {
  readonly outcome: ClientOutcome;
  /** Data bytes of the response, NN and checksum left out. */
  readonly data: readonly number[];
  /** The checksum of the command as this client counts it. */
  readonly commandCrc: number;
  readonly responseCrc: number;
  /** The winner, when the bus was lost. */
  readonly winner?: number;
}

type Phase = "idle" | "arbitrate" | "send" | "ack" | "response" | "refuse" | "accept" | "release";

const hex = (text: string): number[] => (text.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16));

function checksum(bytes: readonly number[]): number {
  return stuffed(bytes).reduce((crc, byte) => {
    let shifted = crc;
    for (let bit = 0; bit < 8; bit += 1) shifted = shifted >= 0x80 ? ((shifted * 2) % 256) ^ 0x9b : shifted * 2;
    return shifted ^ byte;
  }, 0);
}

function stuffed(bytes: readonly number[]): number[] {
  return bytes.flatMap((byte) => (byte === 0xa9 ? [0xa9, 0x00] : byte === 0xaa ? [0xa9, 0x01] : [byte]));
}

export interface BusClient {
  /** Bytes from the port. */
  feed(bytes: Iterable<number>): void;
  /** Sends `15 07 04 00`-like text (target, command, NN, data) from that source. One at a time. */
  ask(source: number, telegram: string): Promise<ClientResult>;
  /** Every symbol heard, as an enhanced host pieces them together. */
  readonly symbols: readonly number[];
  /** RESETTED, INFO and errors of an enhanced adapter, as `command:data`. */
  readonly messages: readonly string[];
}

export function createBusClient({
  kind,
  write,
}: {
  kind: "enh" | "plain";
  write: (bytes: Uint8Array) => void;
}): BusClient {
  const symbols: number[] = [];
  const messages: string[] = [];
  let phase: Phase = "idle";
  let settle: ((result: ClientResult) => void) | undefined;
  let command: number[] = [];
  let wire: number[] = [];
  let sent = 0;
  let attempts = 0;
  let refusals = 0;
  let verdict: ClientOutcome = "done";
  let response: number[] = [];
  let escape = false;
  let first: number | undefined;

  function put(symbol: number): void {
    const pair = [0xc4 | (symbol >> 6), 0x80 | (symbol & 0x3f)];
    write(Uint8Array.from(kind === "plain" ? [symbol] : symbol < 0x80 ? [symbol] : pair));
  }

  function finish(outcome: ClientOutcome, winner?: number): void {
    phase = "idle";
    const length = response[0] ?? 0;
    settle?.({
      outcome,
      data: response.slice(1, 1 + length),
      commandCrc: checksum(command),
      responseCrc: checksum(response.slice(0, 1 + length)),
      ...(winner !== undefined && { winner }),
    });
    settle = undefined;
  }

  function transmit(from: number): void {
    phase = "send";
    sent = from;
    put(wire[sent] as number);
  }

  function release(outcome: ClientOutcome): void {
    verdict = outcome;
    phase = "release";
    put(0xaa);
  }

  function toInitiator(): boolean {
    const nibbles = "0137f";
    return [...(command[1] ?? 0).toString(16).padStart(2, "0")].every((nibble) => nibbles.includes(nibble));
  }

  function startResponse(): void {
    phase = "response";
    response = [];
    escape = false;
  }

  function hear(symbol: number): void {
    symbols.push(symbol);
    switch (phase) {
      case "idle":
        return;
      case "arbitrate":
        if (kind !== "plain") return;
        if (attempts === 0 && symbol === 0xaa) {
          attempts = 1;
          put(wire[0] as number);
        } else if (attempts === 1 && symbol !== 0xaa) {
          if (symbol === wire[0]) transmit(1);
          else finish("lost", symbol);
        }
        return;
      case "send":
        if (symbol !== wire[sent]) return finish("echo");
        if (sent + 1 < wire.length) return transmit(sent + 1);
        if (command[1] === 0xfe) return release("done");
        phase = "ack";
        return;
      case "ack":
        if (symbol === 0x00) return toInitiator() ? release("done") : startResponse();
        if (symbol === 0xaa) return finish("timeout");
        if (symbol !== 0xff) return release("protocol");
        attempts += 1;
        return attempts > 2 ? release("nack") : transmit(0);
      case "response":
        return hearResponse(symbol);
      case "refuse":
        refusals += 1;
        return refusals > 1 ? release("crc") : startResponse();
      case "accept":
        return release("done");
      case "release":
        if (symbol === 0xaa) finish(verdict);
    }
  }

  function hearResponse(symbol: number): void {
    if (symbol === 0xaa) return finish("timeout");
    if (symbol === 0xa9 && !escape) {
      escape = true;
      return;
    }
    response.push(escape ? 0xa9 + symbol : symbol);
    escape = false;
    if (response.length < (response[0] as number) + 2) return;
    const good = checksum(response.slice(0, -1)) === response.at(-1);
    phase = good ? "accept" : "refuse";
    put(good ? 0x00 : 0xff);
  }

  function hearPair(code: number, data: number): void {
    if (code === 0x1) return hear(data);
    if (code === 0x2) {
      symbols.push(data);
      attempts = 1;
      return phase === "arbitrate" ? transmit(1) : undefined;
    }
    if (code === 0xa) {
      symbols.push(data);
      return finish("lost", data);
    }
    messages.push(`${code.toString(16)}:${data.toString(16)}`);
    if (code === 0x0 && phase !== "idle") finish("reset");
  }

  function hearEnhanced(byte: number): void {
    if (first !== undefined) {
      const code = (first >> 2) & 0xf;
      const data = ((first & 0x3) << 6) | (byte & 0x3f);
      first = undefined;
      hearPair(code, data);
    } else if (byte < 0x80) hear(byte);
    else first = byte;
  }

  return {
    feed(bytes) {
      for (const byte of bytes) {
        if (kind === "plain") hear(byte);
        else hearEnhanced(byte);
      }
    },
    ask(source, telegram) {
      if (phase !== "idle") throw new Error("One telegram at a time.");
      command = [source, ...hex(telegram)];
      wire = stuffed([...command, checksum(command)]);
      attempts = 0;
      refusals = 0;
      response = [];
      phase = "arbitrate";
      const result = new Promise<ClientResult>((resolve) => {
        settle = resolve;
      });
      if (kind === "enh") write(Uint8Array.from([0xc8 | (source >> 6), 0x80 | (source & 0x3f)]));
      return result;
    },
    symbols,
    messages,
  };
}
