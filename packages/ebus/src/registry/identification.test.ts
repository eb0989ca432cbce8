import { expect, test } from "vitest";
import { fromHex } from "../testing/memory-link.ts";
import { createDeviceBook } from "./device-book.ts";
import { readIdentification, readSerialNumber } from "./identification.ts";

test("an identification tells maker, name and versions, and a short answer is none", () => {
  expect(readIdentification(fromHex("B5 42 41 53 56 32 05 07 17 04"))).toEqual({
    manufacturer: "Vaillant",
    deviceId: "BASV2",
    software: "0507",
    hardware: "1704",
  });
  expect(readIdentification(fromHex("19 41 42 00 20 20 01 02 03 04"))).toMatchObject({
    manufacturer: "0x19",
    deviceId: "AB",
  });
  expect(readIdentification(fromHex("B5 42 41"))).toBeUndefined();
  expect(readIdentification(new Uint8Array())).toBeUndefined();
});

test("a serial number of 28 characters is shown in its groups", () => {
  const chunks = ["21231600", "20260914", "09530354", "69N6    "].map((text) => Uint8Array.of(0, ...Buffer.from(text)));
  expect(readSerialNumber(chunks)).toBe("21-23-16-0020260914-0953-035469-N6");
  expect(readSerialNumber(chunks.slice(1))).toBeUndefined();
});

test("faces of one device become one, by serial number or else by what it says of itself", () => {
  const book = createDeviceBook({ spoke: (initiator) => initiator === 0x10 });
  const basv = { manufacturer: "Vaillant", deviceId: "BASV2", software: "0507", hardware: "1704" };
  book.add({ address: 0xec, ...basv });
  book.add({ address: 0x26, ...basv, deviceId: "VR_71" });
  expect(book.add({ address: 0x15, ...basv })).toMatchObject({ address: 0x15, addresses: [0x10, 0x15, 0xec] });
  expect(book.devices.map(({ address }) => address)).toEqual([0x15, 0x26]);
});
