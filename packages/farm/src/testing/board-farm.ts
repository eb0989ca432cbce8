import type { Clock, JsonObject, Role } from "@steading/kernel";
import { createMemoryDial } from "./memory-wire.ts";
import { caller, createTrialFarm, type TrialFarm } from "./trial-farm.ts";

/** A relay board with three mapped coils, the first of them with a label. */
export const BOARD = {
  name: "Relay board",
  type: "relay",
  address: "10.0.0.1",
  register_mappings: [0, 1, 2].map((register) => ({
    name: `r${register}`,
    register,
    type: "coil" as const,
    access: "readwrite" as const,
    ...(register === 0 ? { label: "Water Pump" } : {}),
  })),
};

/** A started farm behind whose every address stands a board with eight coils; unit 9 is dead, unit 8 takes one coil at a time. */
export async function startBoardFarm(
  clock: Clock,
  onRequest: (bytes: Buffer) => void = () => {},
  options: { readonly access?: () => "read" | "write" } = {},
): Promise<TrialFarm> {
  const coils = new Map<number, boolean>();
  const net = createMemoryDial({
    onWrite(bytes, far) {
      onRequest(bytes);
      const [unit = 0, fc = 0] = bytes.subarray(6);
      const address = bytes.readUInt16BE(8);
      if (unit === 9) return;
      if (unit === 8 && fc === 15) return far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, 3, 8, 0x8f, 1)]));
      if (fc === 5) coils.set(address, bytes.readUInt16BE(10) === 0xff00);
      if (fc === 15) {
        for (let i = 0; i < bytes.readUInt16BE(10); i += 1) {
          coils.set(address + i, ((bytes[13 + (i >> 3)] ?? 0) >> (i & 7)) % 2 === 1);
        }
      }
      const states = [...Array(8).keys()].reduce((sum, i) => sum | (Number(coils.get(address + i) ?? false) << i), 0);
      const body = fc === 5 || fc === 15 ? bytes.subarray(6, 12) : Buffer.of(unit, fc, 1, states);
      far.send(Buffer.concat([bytes.subarray(0, 4), Buffer.of(0, body.length), body]));
    },
  });
  const farm = createTrialFarm({ ...options, clock, dial: () => net.dial });
  await farm.start();
  return farm;
}

async function call(farm: TrialFarm, tool: string, args: unknown, role: Role) {
  const result = await farm.dispatcher.call({ tool, arguments: args, caller: caller(role) });
  if (result.kind === "unknown-tool") throw new Error(`There is no tool ${tool}.`);
  return result;
}

/** A call that must succeed. */
export async function answer(
  farm: TrialFarm,
  tool: string,
  args: unknown = {},
  role: Role = "operator",
): Promise<{ readonly structured: JsonObject; readonly text: unknown; readonly raw: string }> {
  const result = await call(farm, tool, args, role);
  if (result.kind === "error") throw result.error;
  return { structured: result.structured, text: JSON.parse(result.text), raw: result.text };
}

/** A call that must be refused: what the client gets to read. */
export async function refusal(
  farm: TrialFarm,
  tool: string,
  args: unknown = {},
  role: Role = "operator",
): Promise<Record<string, unknown>> {
  const result = await call(farm, tool, args, role);
  if (result.kind !== "error") throw new Error("It should have been refused.");
  return JSON.parse(result.text) as Record<string, unknown>;
}
