import { createAdapterDial, createDecoder, readAdapterAddress, type Heard, type Link } from "@steading/ebus";
import { createRealClock } from "@steading/kernel";
import { createHouse, type House } from "@steading/sim";
import { afterEach, expect, test } from "vitest";

let house: House | undefined;
let link: Link | undefined;

afterEach(async () => {
  link?.close();
  await house?.stop();
  link = undefined;
  house = undefined;
});

async function open(address: string): Promise<Link> {
  const dial = createAdapterDial({ address: readAdapterAddress(address), clock: createRealClock() });
  link = await dial(new AbortController().signal);
  return link;
}

/** Puts a telegram on the wire after the first SYN, and resolves with the first one heard. */
function firstTelegram(given: Link): Promise<Heard> {
  const decoder = createDecoder();
  let injected = false;
  return new Promise((resolve) => {
    function heard(event: Heard): void {
      if (event.kind === "telegram") resolve(event);
      if (event.kind !== "syn" || injected) return;
      injected = true;
      house?.knobs.inject([...Buffer.from("10fe070009400458042126100714ed", "hex")]);
    }
    given.onPiece((piece) => {
      for (const symbol of piece) decoder.push(symbol, heard);
    });
  });
}

const DATE_TIME = { kind: "telegram", telegram: { source: 0x10, target: 0xfe, primary: 7, secondary: 0 } };

// @proves ebus.transport.plain-tcp
test("a plain TCP adapter carries the wire as it is", async () => {
  house = createHouse({ knobs: { traffic: false } });
  const { plain } = await house.start({ plain: 0 });
  const heard = await firstTelegram(await open(`tcp-plain://127.0.0.1:${plain?.port}`));
  expect(heard).toMatchObject(DATE_TIME);
});

// @proves ebus.transport.udp-plain
test("a UDP adapter carries the wire in datagrams, to whoever said hello", async () => {
  house = createHouse({ knobs: { traffic: false } });
  const { udp } = await house.start({ udp: 0 });
  const heard = await firstTelegram(await open(`udp-plain://127.0.0.1:${udp?.port}`));
  expect(heard).toMatchObject(DATE_TIME);
});

// @proves ebus.transport.plain-serial
test("a serial line carries the wire as it is", async (context) => {
  house = createHouse({ knobs: { traffic: false } });
  const { pty } = await house.start({ pty: true });
  if (pty === undefined || "unavailable" in pty) return context.skip(`needs a pseudo terminal: ${pty?.unavailable}`);
  const heard = await firstTelegram(await open(`serial://${pty.path}`));
  expect(heard).toMatchObject(DATE_TIME);
});

test("an adapter that is not there is an error and leaves nothing open", async () => {
  await expect(open("tcp-plain://127.0.0.1:1")).rejects.toThrow();
  await expect(open("serial:///dev/no-such-line")).rejects.toThrow();
});

test("the end of a link is told once, whichever side ended it", async () => {
  house = createHouse({ knobs: { traffic: false } });
  const { plain } = await house.start({ plain: 0 });
  const given = await open(`tcp-plain://127.0.0.1:${plain?.port}`);
  const ended = new Promise<void>((resolve) => given.onEnd(() => resolve()));
  house.knobs.cut();
  await ended;
});
