import { expect, test } from "vitest";
import { gatewayKey, parseGatewayAddress } from "./gateway-address.ts";

test.each([
  [
    "127.0.0.1:502",
    ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1:0502", "localhost", "LOCALHOST:502"],
  ],
  ["127.0.0.1:502", ["[::1]", "[0:0:0:0:0:0:0:1]:502", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "0.0.0.0", "[::]"]],
  ["10.0.0.9:503", ["10.0.0.9:503", "10.9:503", "0xa.0.0.9:503", "[::ffff:10.0.0.9]:503"]],
  ["gateway.lan:502", ["gateway.lan", "Gateway.LAN:502"]],
  ["[fe80::1]:502", ["[FE80::1]", "[fe80:0:0:0:0:0:0:1]:502"]],
  ["[fe80::1%eth0]:502", ["[FE80:0::1%eth0]"]],
])("%s is one gateway, however it is written", (key, spellings) => {
  for (const text of spellings) expect([text, gatewayKey(text)]).toEqual([text, key]);
});

test("what is dialled is the address itself; only a name is left to whoever resolves it", () => {
  expect(parseGatewayAddress("0x7f000001:503")).toEqual({ host: "127.0.0.1", port: 503 });
  expect(parseGatewayAddress("Localhost")).toEqual({ host: "localhost", port: 502 });
  expect(parseGatewayAddress("[::FFFF:10.0.0.9]")).toEqual({ host: "10.0.0.9", port: 502 });
});

test.each(["999.1.1.1", "1.2.3.4.5", "0x1ffffffff", "[fe80::1::2]", "[12]", "a b", ""])("%s is none", (text) => {
  expect(parseGatewayAddress(text)).toBeUndefined();
  expect(gatewayKey(text)).toBeUndefined();
});
