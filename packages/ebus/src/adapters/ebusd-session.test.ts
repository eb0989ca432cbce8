import { createManualClock, millis } from "@steading/kernel";
import { expect, test } from "vitest";
import { createFarEnd } from "../testing/memory-link.ts";
import { createEbusdSession } from "./ebusd-session.ts";
import { readGrabbedLine, readInfoLine, readScannedLine } from "./ebusd-lines.ts";

function asked() {
  const clock = createManualClock();
  const far = createFarEnd();
  return { clock, far, session: createEbusdSession({ link: far.link, clock }) };
}

// @proves ebus.text.reply-end
test("an answer is read up to its empty line, however it is cut", async () => {
  const { clock, far, session } = asked();
  const answer = session.ask("hex 15070400\n", millis(400));
  far.sayText("0ab542415356");
  far.sayText("3205071704\nmore\n");
  far.sayText("\n");
  expect(await answer).toEqual(["0ab5424153563205071704", "more"]);
  expect(far.closed).toBe(false);
  expect(clock.pending).toBe(0);
});

// @proves ebus.text.wait
test("an answer is awaited for 400 ms at least, and further lines for 150 ms", async () => {
  const first = asked();
  const silent = first.session.ask("hex 50070400\n", millis(1));
  await first.clock.advance(millis(399));
  expect(first.far.closed).toBe(false);
  await first.clock.advance(millis(1));
  expect(await silent).toEqual([]);
  expect(first.far.closed).toBe(true);

  const second = asked();
  const half = second.session.ask("info\n", millis(400));
  await second.clock.advance(millis(300));
  second.far.sayText("version\n");
  await second.clock.advance(millis(149));
  expect(second.far.closed).toBe(false);
  await second.clock.advance(millis(1));
  expect(await half).toEqual(["version"]);
});

// @proves ebus.text.grab-lines
test("grabbed messages are read with and without an answer", () => {
  expect(readGrabbedLine("3115070400 / 0ab5424153563205071704 = 2: scan.15")).toMatchObject({
    count: 2,
    name: "scan.15",
  });
  const heard = readGrabbedLine("10fe0700094004580421261007 14".replace(" ", "") + " = 7");
  expect(heard).toMatchObject({ count: 7 });
  expect(heard).not.toHaveProperty("response");
  expect(readGrabbedLine("ERR: element not found")).toBeUndefined();
  expect(readGrabbedLine("311 = 2")).toBeUndefined();
});

// @proves ebus.text.scan-lines
test("scan results are read with and without serial data", () => {
  const basv = { address: 0x15, manufacturer: "Vaillant", deviceId: "BASV2", software: "0507", hardware: "1704" };
  expect(readScannedLine("15;Vaillant;BASV2;0507;1704")).toEqual(basv);
  const serial = "21;23;16;0020260914;0953;035469;N6";
  expect(readScannedLine(`${serial};15;Vaillant;BASV2;0507;1704`)).toEqual({ ...basv, serial });
  expect(readScannedLine(`15;Vaillant;BASV2;0507;1704;${serial}`)).toEqual({ ...basv, serial });
  expect(readScannedLine("scan initiated")).toBeUndefined();
});

// @proves ebus.text.info-lines
test("address lines tell role, identity and which one is the daemon", () => {
  expect(readInfoLine('address 15: slave #2, scanned "MF=Vaillant;ID=BASV2;SW=0507;HW=1704"')).toEqual({
    address: 0x15,
    role: "slave",
    self: false,
    identity: { manufacturer: "Vaillant", deviceId: "BASV2", software: "0507", hardware: "1704" },
  });
  expect(readInfoLine("address 31: master #8, ebusd")).toEqual({ address: 0x31, role: "master", self: true });
  expect(readInfoLine("address 36: slave #8, self")).toMatchObject({ role: "slave", self: true });
  expect(readInfoLine("signal: acquired")).toBeUndefined();
});
