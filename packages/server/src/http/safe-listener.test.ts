import { expect, test } from "vitest";
import { assertSafeListener, type ListenerSafety } from "./safe-listener.ts";

const bare: ListenerSafety = {
  host: "0.0.0.0",
  tls: false,
  trustedProxy: false,
  insecure: false,
  allowedHosts: ["hub.lan"],
};

test.each(["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])("loopback (%s) needs nothing", (host) => {
  expect(() => assertSafeListener({ ...bare, host, allowedHosts: [], anonymous: true })).not.toThrow();
});

// @proves mcp.address.off-loopback-transport-guard
test.each(["0.0.0.0", "::", "", "192.168.1.10", "hub.lan", "127.0.0.1.evil.example", "::ffff:192.0.2.1", "127.1"])(
  "off loopback (%j) one of TLS, a trusted proxy or insecure is needed, and the refusal says so",
  (host) => {
    expect(() => assertSafeListener({ ...bare, host })).toThrow(
      expect.objectContaining({ code: "LISTEN_INSECURE", hint: expect.stringMatching(/tls.*trustedProxy.*insecure/) }),
    );
    for (const one of [{ tls: true }, { trustedProxy: true }, { insecure: true }])
      expect(() => assertSafeListener({ ...bare, host, ...one })).not.toThrow();
  },
);

// @proves mcp.endpoint.off-loopback-needs-allow-list mcp.endpoint.off-loopback-needs-auth
test("off loopback the names it is reached by and credentials are needed as well", () => {
  expect(() => assertSafeListener({ ...bare, tls: true, allowedHosts: [] })).toThrow(
    expect.objectContaining({ code: "LISTEN_INSECURE", hint: expect.stringContaining("allowedHosts") }),
  );
  expect(() => assertSafeListener({ ...bare, tls: true, anonymous: true })).toThrow(
    expect.objectContaining({ code: "LISTEN_INSECURE" }),
  );
});

test("who may be reached by the machine's own addresses needs no names", () => {
  const reached = { ...bare, allowedHosts: [], ownAddressesAllowed: true };
  expect(() => assertSafeListener({ ...reached, insecure: true })).not.toThrow();
  expect(() => assertSafeListener(reached)).toThrow(expect.objectContaining({ code: "LISTEN_INSECURE" }));
});
