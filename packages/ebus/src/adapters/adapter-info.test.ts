import { expect, test } from "vitest";
import { infoIdsFor, readAdapterInfo } from "./adapter-info.ts";

// @proves ebus.info.version
test("the version answer says more the longer it is", () => {
  expect(readAdapterInfo(0, Uint8Array.of(1, 1))).toEqual({ version: 1, features: 1 });
  expect(readAdapterInfo(0, Uint8Array.of(0x23, 1, 0xab, 0xcd, 0x09, 0x20, 0x12, 0x34))).toEqual({
    version: 0x23,
    features: 1,
    checksum: "abcd",
    jumperFlags: ["enhanced", "wifi"],
    bootloaderVersion: 0x20,
    bootloaderChecksum: "1234",
  });
});

test("questions the adapter cannot answer are not asked", () => {
  expect(infoIdsFor(Uint8Array.of(1, 1))).toEqual([1, 2, 3, 4, 5]);
  expect(infoIdsFor(Uint8Array.of(1, 1, 0, 0, 0x08))).toEqual([1, 2, 3, 4, 5, 7]);
  expect(infoIdsFor(Uint8Array.of(1, 1, 0, 0, 0x01, 1, 0, 0))).toEqual([1, 2, 3, 4, 5, 6]);
});

// @proves ebus.info.temperature-whole-degrees ebus.info.supply-voltage ebus.info.zero-is-unknown
test("temperatures are whole degrees and a voltage of zero is no voltage", () => {
  expect(readAdapterInfo(3, Uint8Array.of(0, 31))).toEqual({ temperatureC: 31 });
  expect(readAdapterInfo(4, Uint8Array.of(0, 0))).toEqual({});
  expect(readAdapterInfo(4, Uint8Array.of(0x13, 0x24))).toEqual({ supplyMillivolts: 4900 });
  expect(readAdapterInfo(5, Uint8Array.of(195, 0))).toEqual({ busVoltageMax: 19.5 });
  expect(readAdapterInfo(6, Uint8Array.of(3, 2))).toEqual({ resetCause: "watchdog", restartCount: 2 });
  expect(readAdapterInfo(7, Uint8Array.of(0xc4))).toEqual({ wifiRssiDbm: -60 });
  expect(readAdapterInfo(7, Uint8Array.of(0))).toEqual({});
});

// @proves ebus.info.hardware
test("hardware id and configuration stay hex", () => {
  expect(readAdapterInfo(1, Uint8Array.of(0x50, 0x49, 0, 1, 2, 3, 4, 5, 0xff))).toEqual({
    hardwareId: "5049000102030405ff",
  });
  expect(readAdapterInfo(2, Uint8Array.of(0x3f, 0x9f, 0, 0, 0, 0, 0, 0))).toEqual({ hardwareConfig: "3f9f" });
});

// @proves ebus.info.bus-voltage
test("the bus voltage is maximum and minimum in tenths of a volt", () => {
  expect(readAdapterInfo(5, Uint8Array.of(195, 129))).toEqual({ busVoltageMax: 19.5, busVoltageMin: 12.9 });
});

// @proves ebus.info.reset-cause
test("seven causes of a reset have names, and the count follows", () => {
  const causes = [1, 2, 3, 4, 5, 6, 7].map((code) => readAdapterInfo(6, Uint8Array.of(code, 9)));
  expect(causes.map(({ resetCause }) => resetCause)).toEqual([
    "power_on",
    "brown_out",
    "watchdog",
    "clear",
    "external_reset",
    "stack_overflow",
    "memory_failure",
  ]);
  expect(causes.every(({ restartCount }) => restartCount === 9)).toBe(true);
});

// @proves ebus.info.rssi-signed
test("the WiFi strength is signed, in answers of one and of two bytes", () => {
  expect(readAdapterInfo(7, Uint8Array.of(0xb5))).toEqual({ wifiRssiDbm: -75 });
  expect(readAdapterInfo(7, Uint8Array.of(0xb5, 0x00))).toEqual({ wifiRssiDbm: -75 });
});

// @proves ebus.info.jumper-flags
test("each jumper bit has its name", () => {
  const flags = (bits: number) => readAdapterInfo(0, Uint8Array.of(1, 1, 0, 0, bits)).jumperFlags;
  expect([0x01, 0x02, 0x04, 0x08, 0x10, 0x20].map(flags)).toEqual([
    ["enhanced"],
    ["high_speed"],
    ["ethernet"],
    ["wifi"],
    ["v31"],
    ["soft_config"],
  ]);
  expect(flags(0)).toEqual([]);
});
