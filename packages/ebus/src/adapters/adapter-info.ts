/** What an enhanced adapter tells of itself. A field it does not know is left out, never zero. */
export interface AdapterInfo {
  readonly version?: number;
  readonly features?: number;
  readonly checksum?: string;
  readonly jumperFlags?: readonly JumperFlag[];
  readonly bootloaderVersion?: number;
  readonly bootloaderChecksum?: string;
  readonly hardwareId?: string;
  readonly hardwareConfig?: string;
  readonly temperatureC?: number;
  readonly supplyMillivolts?: number;
  readonly busVoltageMax?: number;
  readonly busVoltageMin?: number;
  readonly resetCause?: string;
  readonly restartCount?: number;
  readonly wifiRssiDbm?: number;
}

const JUMPERS = ["enhanced", "high_speed", "ethernet", "wifi", "v31", "soft_config"] as const;
export type JumperFlag = (typeof JUMPERS)[number];

const WIFI_JUMPER = 0x08;
const RESET_CAUSES = [
  "unknown",
  "power_on",
  "brown_out",
  "watchdog",
  "clear",
  "external_reset",
  "stack_overflow",
  "memory_failure",
] as const;

/** Which questions this adapter can answer, from the length and jumpers of its version answer. */
export function infoIdsFor(version: Uint8Array): readonly number[] {
  const ids = [0x01, 0x02, 0x03, 0x04, 0x05];
  if (version.length >= 8) ids.push(0x06);
  if (version.length >= 5 && ((version[4] ?? 0) & WIFI_JUMPER) !== 0) ids.push(0x07);
  return ids;
}

/** Reads one answer; an answer shorter than its kind says nothing. */
export function readAdapterInfo(id: number, answer: Uint8Array): AdapterInfo {
  const at = (index: number): number => answer[index] ?? 0;
  const word = (index: number): number => (at(index) << 8) | at(index + 1);
  const has = (length: number): boolean => answer.length >= length;
  switch (id) {
    case 0x00:
      return {
        ...(has(2) ? { version: at(0), features: at(1) } : {}),
        ...(has(5) ? { checksum: hexWord(word(2)), jumperFlags: JUMPERS.filter((_, bit) => at(4) & (1 << bit)) } : {}),
        ...(has(8) ? { bootloaderVersion: at(5), bootloaderChecksum: hexWord(word(6)) } : {}),
      };
    case 0x01:
      return has(1) ? { hardwareId: Buffer.from(answer).toString("hex") } : {};
    case 0x02:
      return has(2) ? { hardwareConfig: Buffer.from(answer.subarray(0, 2)).toString("hex") } : {};
    case 0x03:
      return has(2) ? { temperatureC: word(0) } : {};
    case 0x04:
      return has(2) && word(0) !== 0 ? { supplyMillivolts: word(0) } : {};
    case 0x05:
      return {
        ...(has(2) && at(0) !== 0 ? { busVoltageMax: at(0) / 10 } : {}),
        ...(has(2) && at(1) !== 0 ? { busVoltageMin: at(1) / 10 } : {}),
      };
    case 0x06:
      return has(2) ? { resetCause: RESET_CAUSES[at(0)] ?? "unknown", restartCount: at(1) } : {};
    case 0x07:
      return has(1) && at(0) !== 0 ? { wifiRssiDbm: at(0) > 127 ? at(0) - 256 : at(0) } : {};
    default:
      return {};
  }
}

function hexWord(word: number): string {
  return word.toString(16).padStart(4, "0");
}
