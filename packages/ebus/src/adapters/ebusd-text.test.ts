import { expect, test } from "vitest";
import { ebusdHexCommand, readEbusdReply } from "./ebusd-text.ts";

const data = (...bytes: number[]) => ({ kind: "data", data: Uint8Array.from(bytes) });

// @proves ebus.text.hex-reply ebus.text.broadcast-done ebus.text.parse-trim-prefix ebus.text.parse-strip-nn ebus.text.parse-fixtures
test.each([
  [["0ab5424153563205071704", ""], data(0xb5, 0x42, 0x41, 0x53, 0x56, 0x32, 0x05, 0x07, 0x17, 0x04)],
  [["0x03 01 02 03"], data(1, 2, 3)],
  [["0x02\t11\t22"], data(0x11, 0x22)],
  [["00"], data()],
  [["0801005600a9aa0000"], data(0x01, 0x00, 0x56, 0x00, 0xa9, 0xaa, 0x00, 0x00)],
  [["done broadcast", ""], { kind: "sent" }],
])("%j is read as the bytes it stands for", (lines, reply) => {
  expect(readEbusdReply(lines)).toEqual(reply);
});

// @proves ebus.text.error-collision ebus.text.error-nack ebus.text.error-crc ebus.text.error-echo ebus.text.error-permission
// @proves ebus.text.parse-err-after-hex ebus.text.parse-invalid ebus.text.parse-empty
test.each([
  [["ERR: read timeout"], "timeout"],
  [["ERR: no signal"], "timeout"],
  [["ERR: arbitration lost"], "collision"],
  [["ERR: NAK received"], "nack"],
  [["ERR: ACK error"], "nack"],
  [["ERR: CRC error"], "crc_mismatch"],
  [["ERR: SYN received"], "echo_mismatch"],
  [["ERR: wrong symbol received"], "echo_mismatch"],
  [["ERR: not authorized"], "permission"],
  [["ERR: invalid argument"], "invalid"],
  [["usage: hex [-s QQ]"], "invalid"],
  [["0ab"], "invalid"],
  [[""], "timeout"],
  [["0101", "ERR: read timeout"], "timeout"],
])("%j is a %s", (lines, outcome) => {
  expect(readEbusdReply(lines)).toMatchObject({ kind: "failed", outcome });
});

// @proves ebus.text.hex-n-without-nn ebus.text.hex-source
test("the length byte is left to the daemon", () => {
  const command = { target: 0x15, primary: 0xb5, secondary: 0x24, data: Uint8Array.of(2, 0, 0, 0, 0x73, 0) };
  expect(ebusdHexCommand(command)).toBe("hex -n 15b524020000007300\n");
  expect(ebusdHexCommand(command, 0x71)).toBe("hex -n -s 71 15b524020000007300\n");
});

// @proves ebus.text.parse-first-hex-line
test("of several hex lines the first counts", () => {
  expect(readEbusdReply(["0101", "0202"])).toEqual(data(1));
});

// @proves ebus.text.error-timeout
test.each(["read timeout", "no signal", "signal lost", "no answer", "generic I/O error", "device invalid"])(
  "ERR: %s is a timeout",
  (text) => expect(readEbusdReply([`ERR: ${text}`])).toMatchObject({ outcome: "timeout" }),
);

// @proves ebus.text.error-other
test.each([
  "generic device error",
  "send error",
  "invalid escape sequence",
  "element not found",
  "end of input reached",
  "invalid argument",
  "invalid numeric argument",
  "invalid address",
  "invalid position",
  "argument value out of valid range",
  "invalid part type",
  "missing argument",
  "invalid value list",
  "duplicate entry",
  "duplicate name",
  "command not found",
])("ERR: %s is invalid", (text) => expect(readEbusdReply([`ERR: ${text}`])).toMatchObject({ outcome: "invalid" }));
