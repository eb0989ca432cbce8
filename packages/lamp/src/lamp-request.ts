/** What can be asked of a lamp. `on` and `off` are switch commands and change something; the others only look. */
export type LampRequest = "on" | "off" | "read" | "count";

const LINES = { on: "1\n", off: "0\n", read: "?\n", count: "#\n" } as const satisfies Record<LampRequest, string>;

export function toBytes(request: LampRequest): Uint8Array {
  return new TextEncoder().encode(LINES[request]);
}
