/** A serial line and how it is set. */
export interface SerialAddress {
  readonly path: string;
  readonly baudRate: number;
  readonly dataBits: 7 | 8;
  readonly parity: "none" | "even" | "odd";
  readonly stopBits: 1 | 2;
}

const FORM = /^(\/dev\/[\w./-]{1,120}|COM\d{1,3})(?:@(\d{3,7})(?::([78])([NEO])([12]))?)?$/;
const PARITIES = { N: "none", E: "even", O: "odd" } as const;

/** Reads `/dev/ttyUSB0`, `/dev/ttyUSB0@19200` and `COM3@19200:8E1`. Without more it is 9600 8N1. Undefined for anything else. */
export function parseSerialAddress(text: string): SerialAddress | undefined {
  const [, path, baud = "9600", data = "8", parity = "N", stop = "1"] = FORM.exec(text.trim()) ?? [];
  if (path === undefined || path.includes("..")) return undefined;
  return {
    path,
    baudRate: Number(baud),
    dataBits: data === "7" ? 7 : 8,
    parity: PARITIES[parity as keyof typeof PARITIES], // the expression lets nothing else through
    stopBits: stop === "2" ? 2 : 1,
  };
}
