import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLamp, type Lamp, type LampAddress } from "./lamp.ts";
import { connectRaw, type RawClient } from "./testing/raw-client.ts";

let lamp: Lamp;
let address: LampAddress;
let client: RawClient;

beforeEach(async () => {
  lamp = createLamp();
  address = await lamp.start();
  client = await connectRaw(address);
});
afterEach(async () => {
  client.close();
  await lamp.stop();
});

const hex = (bytes: string): Uint8Array => Uint8Array.from(bytes.split(" ").map((byte) => Number.parseInt(byte, 16)));
const toHex = (text: string): string =>
  [...Buffer.from(text, "latin1")].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

/** Sends the left side, returns what came back, in the form the protocol page prints. */
async function exchange(sent: string, length: number): Promise<string> {
  const before = client.text.length;
  client.send(hex(sent));
  return toHex((await client.received(before + length)).slice(before));
}

describe("the protocol page's vectors", () => {
  test("on, then read, then count", async () => {
    expect(await exchange("31 0A", 2)).toBe("41 0A");
    expect(await exchange("3F 0A", 2)).toBe("31 0A");
    expect(await exchange("23 0A", 3)).toBe("4E 31 0A");
  });

  test("off and read in one segment", async () => {
    expect(await exchange("30 0A 3F 0A", 4)).toBe("41 0A 30 0A");
  });

  test("the counter is set back, and all of it as delivered", async () => {
    await exchange("31 0A", 2);
    expect(await exchange("43 0A 23 0A 3F 0A", 7)).toBe("41 0A 4E 30 0A 31 0A");
    await exchange("31 0A", 2);
    expect(await exchange("46 0A 23 0A 3F 0A", 7)).toBe("41 0A 4E 30 0A 30 0A");
    expect([lamp.state, lamp.switchCommands]).toEqual(["off", 0]);
    expect(lamp.wire.map(({ request }) => request.kind)).toContain("factory-reset");
  });

  test("what is not a command is refused and changes nothing", async () => {
    expect(await exchange("78 0A", 2)).toBe("45 0A");
    expect(await exchange("31 0D 0A", 2)).toBe("45 0A");
    expect(await exchange("0A", 2)).toBe("45 0A");
    expect(lamp.switchCommands).toBe(0);
    expect(lamp.state).toBe("off");
  });

  test("more than sixteen bytes without LF are refused before the LF comes", async () => {
    expect(await exchange("31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31", 2)).toBe("45 0A");
    expect(await exchange("0A 3F 0A", 2)).toBe("30 0A");
  });

  test("a command counts for each line, also when the lamp already was in that state", async () => {
    await exchange("31 0A 31 0A 31 0A", 6);
    expect(await exchange("23 0A", 3)).toBe("4E 33 0A");
    expect(lamp.switchCommands).toBe(3);
  });

  test("state and counter outlive connections", async () => {
    await exchange("31 0A", 2);
    client.close();
    await lamp.waitFor(({ connections }) => connections === 0);
    client = await connectRaw(address);
    expect(await exchange("3F 0A 23 0A", 5)).toBe("31 0A 4E 31 0A");
  });

  test("the number of connections is free, and all see one lamp", async () => {
    const others = await Promise.all(Array.from({ length: 20 }, () => connectRaw(address)));
    for (const other of others) other.send("1\n");
    await Promise.all(others.map((other) => other.received(2)));
    expect(await exchange("23 0A", 4)).toBe("4E 32 30 0A");
    for (const other of others) other.close();
  });

  test("a client that stops sending still gets its answers", async () => {
    client.send("1\n?\n");
    client.end();
    await client.closed();
    expect(client.text).toBe("A\n1\n");
  });

  test("lines cut into any pieces get the same answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("1", "0", "?", "x", "1\r", "aaaaaaaaaaaaaaaaaaaa"), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(200), { maxLength: 10 }),
        async (lines, cuts) => {
          let state = lamp.state;
          const expected = lines.map((line) => {
            if (line === "1" || line === "0") state = line === "1" ? "on" : "off";
            else if (line === "?") return state === "on" ? "1\n" : "0\n";
            else return "E\n";
            return "A\n";
          });
          const wire = lines.map((line) => `${line}\n`).join("");
          const places = [0, ...cuts.map((place) => place % (wire.length + 1)).toSorted((a, b) => a - b), wire.length];
          const own = await connectRaw(address);
          for (const [i, end] of places.slice(1).entries()) own.send(wire.slice(places[i], end));
          expect(await own.received(expected.join("").length)).toBe(expected.join(""));
          own.close();
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("the knobs", () => {
  test("held answers wait for the release; the commands are carried out on arrival", async () => {
    lamp.knobs.hold();
    client.send("1\n?\n");
    await lamp.waitFor(({ wire }) => wire.length === 2);
    expect(lamp.state).toBe("on");
    expect(client.text).toBe("");
    lamp.knobs.release();
    expect(await client.received(4)).toBe("A\n1\n");
  });

  test("a slow lamp's answers come when their time has come, in the order of the lines", async () => {
    const due: (() => void)[] = [];
    const delays: number[] = [];
    const slow = createLamp({
      timer(afterMs, fire) {
        delays.push(afterMs);
        due.push(fire);
      },
    });
    const own = await connectRaw(await slow.start());
    slow.knobs.slow = 250;
    own.send("1\n?\n");
    await slow.waitFor(() => slow.wire.length === 2);
    while (due.length < 2) await Promise.resolve();
    expect(delays).toEqual([250, 250]);
    expect(slow.switchCommands).toBe(1);
    due[1]?.();
    expect(own.text).toBe("");
    due[0]?.();
    expect(await own.received(4)).toBe("A\n1\n");
    own.close();
    await slow.stop();
  });

  test("a silent lamp does as it is told and answers nothing", async () => {
    lamp.knobs.silent = true;
    client.send("1\n?\n");
    await lamp.waitFor(({ wire }) => wire.length === 2);
    expect(lamp.state).toBe("on");
    lamp.knobs.silent = false;
    client.send("#\n");
    expect(await client.received(3)).toBe("N1\n");
  });

  test("a deaf lamp does nothing, answers nothing, and its log says so", async () => {
    lamp.knobs.deaf = true;
    client.send("1\n");
    await lamp.waitFor(({ wire }) => wire.length === 1);
    lamp.knobs.deaf = false;
    client.send("#\n");
    expect(await client.received(3)).toBe("N0\n");
    expect(lamp.wire.map(({ carriedOut }) => carriedOut)).toEqual([false, true]);
  });

  test("a lying lamp reads the opposite of what it was told, and the truth before it was told anything", async () => {
    lamp.knobs.lyingReadBack = true;
    client.send("?\n1\n?\n0\n?\n0\n?\n#\n");
    expect(await client.received(17)).toBe("0\nA\n0\nA\n1\nA\n1\nN3\n");
    expect(lamp.state).toBe("off");
  });

  test("a dribbling lamp sends the same bytes one by one", async () => {
    lamp.knobs.dribble = true;
    client.send("1\n#\nx\n");
    expect(await client.received(7)).toBe("A\nN1\nE\n");
  });

  test("a lamp that talks rubbish still counts, and never says a word of the protocol", async () => {
    lamp.knobs.garbage = true;
    client.send("1\n".repeat(30));
    await lamp.waitFor(({ switchCommands }) => switchCommands === 30);
    lamp.knobs.garbage = false;
    client.send("#\n");
    while (!client.text.endsWith("N30\n")) await client.received(client.text.length + 1);
    const answers = client.text.split("\n").slice(0, -2);
    expect(answers).toHaveLength(30);
    for (const answer of answers) expect(answer).not.toMatch(/^(A|0|1|E|N\d+)$/);
  });

  test("a lamp that hangs up has carried the line out", async () => {
    lamp.knobs.hangUp = true;
    client.send("1\n");
    await client.closed();
    expect(client.text).toBe("");
    expect(lamp.switchCommands).toBe(1);
  });

  test("cut drops what is connected, and clients may come back", async () => {
    await exchange("31 0A", 2);
    lamp.knobs.cut();
    await client.closed();
    client = await connectRaw(address);
    expect(await exchange("3F 0A", 2)).toBe("31 0A");
  });

  test("reset turns every knob off and lets held answers go", async () => {
    Object.assign(lamp.knobs, {
      slow: 5,
      silent: true,
      deaf: true,
      lyingReadBack: true,
      hangUp: true,
      dribble: true,
      garbage: true,
    });
    lamp.knobs.hold();
    lamp.knobs.reset();
    expect(lamp.knobs.held).toBe(false);
    expect(await exchange("31 0A 3F 0A", 4)).toBe("41 0A 31 0A");
  });
});

describe("the wire log", () => {
  test("names every line in order, over all connections", async () => {
    await exchange("31 0A", 2);
    const other = await connectRaw(address);
    other.send("?\n");
    await other.received(2);
    await exchange("78 0A", 2);
    expect(lamp.wire).toEqual([
      { order: 1, connection: 1, request: { kind: "switch", to: "on" }, carriedOut: true },
      { order: 2, connection: 2, request: { kind: "read" }, carriedOut: true },
      { order: 3, connection: 1, request: { kind: "not-understood" }, carriedOut: true },
    ]);
    other.close();
  });

  test("keeps the newest lines, counts the ones it let go, and never repeats an order", async () => {
    const small = createLamp({ wireLogLimit: 8 });
    const own = await connectRaw(await small.start());
    own.send("1\n".repeat(20));
    await own.received(40);
    expect(small.wire.length + small.wireDropped).toBe(20);
    expect(small.wire.length).toBeLessThanOrEqual(8);
    expect(small.wire.map(({ order }) => order)).toEqual(
      Array.from({ length: small.wire.length }, (_, i) => small.wireDropped + i + 1),
    );
    own.close();
    await small.stop();
  });
});

describe("starting and stopping", () => {
  test("both may be called twice, and a lamp plugged in again is the same lamp at the same port", async () => {
    expect(await lamp.start()).toEqual(address);
    await exchange("31 0A", 2);
    await lamp.stop();
    await lamp.stop();
    await client.closed();
    expect(await lamp.start()).toEqual(address);
    client = await connectRaw(address);
    expect(await exchange("3F 0A 23 0A", 5)).toBe("31 0A 4E 31 0A");
  });

  test("a taken port is an error that names it, and the lamp can be started once it is free", async () => {
    const second = createLamp({ port: address.port });
    await expect(second.start()).rejects.toThrow(`127.0.0.1:${address.port}`);
    await lamp.stop();
    expect(await second.start()).toEqual(address);
    await second.stop();
  });

  test("whoever waits for a stopped lamp is told", async () => {
    const waiting = lamp.waitFor(() => false);
    await lamp.stop();
    await expect(waiting).rejects.toThrow("stopped");
  });

  test("a wait can be given up", async () => {
    const giveUp = new AbortController();
    const waiting = lamp.waitFor(() => false, giveUp.signal);
    giveUp.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  test("thousands of lines sent ahead of their answers are all answered, in order", async () => {
    lamp.knobs.hold();
    client.send("1\n".repeat(5_000));
    await lamp.waitFor(({ switchCommands }) => switchCommands >= 256);
    lamp.knobs.release();
    expect(await client.received(10_000)).toBe("A\n".repeat(5_000));
    expect(lamp.switchCommands).toBe(5_000);
  });
});
