import { expect, test } from "vitest";
import { readAdapterAddress } from "./adapter-address.ts";

// @proves ebus.transport.enh-default-port ebus.transport.ebusd-tcp-default-port
test.each([
  ["enh://192.168.1.5", { protocol: "enhanced", over: "tcp", host: "192.168.1.5", port: 9999 }],
  ["ens://adapter.local", { protocol: "enhanced", over: "tcp", host: "adapter.local", port: 9999 }],
  ["enh://[::1]:5001", { protocol: "enhanced", over: "tcp", host: "::1", port: 5001 }],
  ["tcp-plain://host:5000", { protocol: "plain", over: "tcp", host: "host", port: 5000 }],
  ["udp-plain://host:5000", { protocol: "plain", over: "udp", host: "host", port: 5000 }],
  ["ebusd-tcp://localhost", { protocol: "text", over: "tcp", host: "localhost", port: 8888 }],
])("%s is taken apart", (text, parts) => {
  expect(readAdapterAddress(text)).toMatchObject({ ...parts, text });
});

// @proves ebus.transport.ens-baud
test("a serial line runs at 2400 Bd when plain, at 9600 for enh and at 115200 for ens", () => {
  expect(readAdapterAddress("serial:///dev/ttyUSB0")).toMatchObject({ path: "/dev/ttyUSB0", baud: 2400 });
  expect(readAdapterAddress("enh:///dev/ttyUSB0")).toMatchObject({ path: "/dev/ttyUSB0", baud: 9600 });
  expect(readAdapterAddress("ens:///dev/ttyUSB0")).toMatchObject({ path: "/dev/ttyUSB0", baud: 115_200 });
});

test.each([
  "192.168.1.5:9999",
  "http://host",
  "tcp-plain://host",
  "enh://host:0",
  "enh://host:99999",
  "serial://ttyUSB0",
  "enh://ho st",
])("%s is refused with an example of how to write it", (text) => {
  expect(() => readAdapterAddress(text)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining("enh://192.168.1.5:9999") }),
  );
});
