/** What can be asked of a lamp. `read` and `count` only look; all others change something. */
export type LampRequest = "on" | "off" | "read" | "count" | "reset-counter" | "factory-reset";

const LINES = {
  on: "1\n",
  off: "0\n",
  read: "?\n",
  count: "#\n",
  "reset-counter": "C\n",
  "factory-reset": "F\n",
} as const satisfies Record<LampRequest, string>;

export function toBytes(request: LampRequest): Uint8Array {
  return new TextEncoder().encode(LINES[request]);
}
