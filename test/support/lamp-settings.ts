import { writeFile } from "node:fs/promises";
import { stringify } from "yaml";

export interface LampSetting {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** How long the hub waits for one answer of this lamp. */
  readonly timeoutMs?: number;
}

/** Short, because tests let it pass. */
const LAMP_TIMEOUT_MS = 300;
/** How often the hub looks at a lamp by itself: often, so that it soon notices when a fault is over. */
const LAMP_POLL_MS = 250;

/** Writes a settings file with these lamps, writable. */
export async function writeLampSettings(
  file: string,
  lamps: readonly LampSetting[],
  access: "read" | "write" = "write",
): Promise<void> {
  await writeFile(
    file,
    stringify({ access, lamps: lamps.map((lamp) => ({ timeoutMs: LAMP_TIMEOUT_MS, pollMs: LAMP_POLL_MS, ...lamp })) }),
  );
}
