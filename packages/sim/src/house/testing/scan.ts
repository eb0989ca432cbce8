import type { BusClient, ClientResult } from "./bus-client.ts";

const INITIATOR_NIBBLES = "0137f";

/** Every target address there is: no initiator, no escape, no SYN, no broadcast. */
export const ALL_TARGETS: readonly number[] = Array.from({ length: 256 }, (_, address) => address).filter((address) => {
  const text = address.toString(16).padStart(2, "0");
  const isInitiator = [...text].every((nibble) => INITIATOR_NIBBLES.includes(nibble));
  return !isInitiator && address !== 0xa9 && address !== 0xaa && address !== 0xfe;
});

/** Asks each address who it is; the finds as `15 BASV2`. A bus lost to somebody is asked for again. */
export async function scan(
  client: BusClient,
  targets: readonly number[],
  settled: (result: Promise<ClientResult>) => Promise<ClientResult> = (result) => result,
): Promise<string[]> {
  const found: string[] = [];
  for (const target of targets) {
    const text = target.toString(16).toUpperCase().padStart(2, "0");
    let result = await settled(client.ask(0x71, `${text} 07 04 00`));
    while (result.outcome === "lost") result = await settled(client.ask(0x71, `${text} 07 04 00`));
    if (result.outcome === "done") found.push(`${text} ${Buffer.from(result.data.slice(1, 6)).toString("ascii")}`);
  }
  return found;
}
