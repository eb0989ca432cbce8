import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf } from "../testing/modbus-vectors.ts";
import { RegisterMapping, toMetric } from "./register-mapping.ts";
import { registerValue, round3 } from "./register-value.ts";

const PLAIN = { offset: 0, scale: 1 };

function value(mapping: object, hex: string, calibration = PLAIN) {
  const bytes = bytesOf(hex);
  const words = Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16BE(i * 2));
  return registerValue(toMetric(RegisterMapping.parse({ register: 0, ...mapping })), words, calibration);
}

const ORDERS = {
  ABCD: {},
  CDAB: { wordOrder: "little" },
  BADC: { byteOrder: "little" },
  DCBA: { wordOrder: "little", byteOrder: "little" },
};

// @proves farm.data.orders-25-5 farm.data.orders-123456 farm.mapping.orders
test.each([
  ["ABCD", "41 CC 00 00", "47 F1 20 00"],
  ["CDAB", "00 00 41 CC", "20 00 47 F1"],
  ["BADC", "CC 41 00 00", "F1 47 00 20"],
  ["DCBA", "00 00 CC 41", "00 20 F1 47"],
] as const)("a float in the order %s", (order, small, large) => {
  expect(value({ dataType: "float32", ...ORDERS[order] }, small)).toBe(25.5);
  expect(value({ dataType: "float32", ...ORDERS[order] }, large)).toBe(123_456);
});

// @proves farm.data.uint32 farm.data.signed
test("32-bit integers keep their sign, or have none", () => {
  expect(value({ dataType: "uint32" }, "EE 6B 28 00")).toBe(4_000_000_000);
  expect(value({ dataType: "int32" }, "FF FE 79 60")).toBe(-100_000);
  expect(value({ dataType: "int16" }, "FF CE")).toBe(-50);
  expect(value({}, "FF CE")).toBe(0xffce);
});

// @proves farm.data.uint64
test("a 64-bit integer is a number as long as a number can hold it", () => {
  expect(value({ dataType: "uint64" }, "00 1F FF FF FF FF FF FF")).toBe(Number.MAX_SAFE_INTEGER);
  expect(value({ dataType: "uint64" }, "00 20 00 00 00 00 00 01")).toBe("9007199254740993");
  expect(value({ dataType: "int64" }, "FF FF FF FF FF FF FF FE")).toBe(-2);
  expect(value({ dataType: "int64" }, "80 00 00 00 00 00 00 00")).toBe("-9223372036854775808");
  expect(value({ dataType: "float64" }, "40 39 80 00 00 00 00 00")).toBe(25.5);
});

// @proves farm.data.scaling farm.data.scaling-defaults
test("raw times scale plus offset, then calibrated, then three decimals", () => {
  expect(value({ dataType: "int16", scale: 0.1 }, "01 14")).toBe(27.6);
  expect(value({ scale: 2, offset: 1 }, "00 0A", { scale: 10, offset: -0.0004 })).toBe(210);
  expect(value({ scale: 1 / 3 }, "00 01")).toBe(0.333);
  expect(value({ dataType: "uint64", scale: 0.5 }, "00 40 00 00 00 00 00 00")).toBe(2 ** 53);
});

// @proves farm.data.null-values
test("what says that there is no value gives none", () => {
  expect(value({ dataType: "float32" }, "7F C0 00 00")).toBeUndefined();
  expect(value({ dataType: "float32" }, "7F 80 00 00")).toBeUndefined();
  expect(value({ dataType: "int16", nullValues: [0x7fff, 0x8000] }, "7F FF")).toBeUndefined();
  expect(value({ dataType: "int16", nullValues: [0x7fff, 0x8000] }, "80 00")).toBeUndefined();
  expect(value({ dataType: "int16" }, "80 00")).toBe(-32_768);
  expect(value({ dataType: "float32", scale: 1e300 }, "7F 7F FF FF")).toBeUndefined();
});

test("flags, bit fields and text", () => {
  expect(value({ dataType: "bool" }, "00 05")).toBe(1);
  expect(value({ dataType: "boolean" }, "00 00")).toBe(0);
  expect(value({ dataType: "bits" }, "80 01")).toBe(0x8001);
  expect(value({ dataType: "string", quantity: 4 }, "50 55 4D 50 20 20 00 00")).toBe("PUMP");
});

test("rounding keeps three decimals of anything finite", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (given) => {
      const rounded = round3(given);
      expect(Number.isFinite(rounded)).toBe(true);
      expect(Math.abs(rounded - given)).toBeLessThanOrEqual(Math.max(0.0005, Math.abs(given) * 1e-15) * 1.000001);
    }),
  );
});

// @proves farm.mapping.register-forms farm.mapping.address-wins
test("a register is a number or decimal text from 0 to 65535, and address wins", () => {
  expect(toMetric(RegisterMapping.parse({ register: "17" })).address).toBe(17);
  expect(toMetric(RegisterMapping.parse({ register: 17, address: "3" })).address).toBe(3);
  expect(toMetric(RegisterMapping.parse({ register: 0 })).address).toBe(0);
  for (const register of ["abc", "", "-1", "1.5", "0x10", "65536", "400001", 65_536, -1, 2.5, null]) {
    expect(RegisterMapping.safeParse({ register }).success).toBe(false);
  }
  expect(RegisterMapping.safeParse({ name: "nowhere" }).success).toBe(false);
});

// @proves farm.mapping.type-function farm.mapping.function-code-overrides
test.each([
  ["coil", 1],
  ["discrete", 2],
  ["discreteInput", 2],
  ["holding", 3],
  ["holdingRegister", 3],
  ["input", 4],
  ["inputRegister", 4],
  [undefined, 3],
])("the type %s picks function %i, and a function code overrides it", (type, fc) => {
  expect(toMetric(RegisterMapping.parse({ register: 1, type })).fc).toBe(fc);
  expect(toMetric(RegisterMapping.parse({ register: 1, type, functionCode: 2 })).fc).toBe(2);
});

// @proves farm.mapping.quantity-derived farm.mapping.data-types
test.each([
  ["uint16", 1],
  ["int16", 1],
  ["bool", 1],
  ["boolean", 1],
  ["bits", 1],
  ["uint32", 2],
  ["int32", 2],
  ["float32", 2],
  ["uint64", 4],
  ["int64", 4],
  ["float64", 4],
  [undefined, 1],
])("%s is read as %i registers", (dataType, quantity) => {
  expect(toMetric(RegisterMapping.parse({ register: 1, dataType })).quantity).toBe(quantity);
  expect(RegisterMapping.safeParse({ register: 1, dataType: "uint8" }).success).toBe(false);
});

// @proves farm.mapping.relay-channel farm.mapping.channel-is-coil
test("only a coil that can be read and written is a channel, under its own address", () => {
  const metric = (mapping: object) => toMetric(RegisterMapping.parse({ register: 3, ...mapping }));
  expect(metric({ type: "coil", access: "readwrite" })).toMatchObject({ isChannel: true, address: 3 });
  expect(metric({ type: "coil", access: "read" }).isChannel).toBe(false);
  expect(metric({ type: "coil", access: "write" }).isChannel).toBe(false);
  expect(metric({ type: "holding", access: "readwrite" }).isChannel).toBe(false);
});
