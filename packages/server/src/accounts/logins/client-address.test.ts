import { expect, test } from "vitest";
import { addressGroup, clientAddress } from "./client-address.ts";

const from = (forwardedFor: string | string[] | undefined, trustedProxy: boolean) =>
  clientAddress({ remoteAddress: "::ffff:192.0.2.1", forwardedFor, trustedProxy });

test("without a trusted proxy the header is ignored", () => {
  expect(from("198.51.100.7", false)).toBe("192.0.2.1");
});

test("behind a trusted proxy its own entry counts, and what the client put before it does not", () => {
  expect(from("203.0.113.99, 198.51.100.7", true)).toBe("198.51.100.7");
  expect(from(["203.0.113.99", "198.51.100.8"], true)).toBe("198.51.100.8");
});

test.each(["nonsense", "", "198.51.100.7, <script>", "198.51.100.7:443"])(
  "an entry that is no address (%s) leaves the proxy's own",
  (header) => {
    expect(from(header, true)).toBe("192.0.2.1");
  },
);

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::1]", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["local", "local"],
])("%s counts as %s", (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
