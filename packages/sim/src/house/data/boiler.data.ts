/** The boiler's B509 registers, address as it travels (high byte first) to data. */
export const BOILER_REGISTERS: Readonly<Record<string, string>> = {
  // Sampled.
  "1800": "32 02 00", // flow 35.125, sensor ok
  "0200": "80 01", // 1.5 bar
  "0500": "F0",
  BB00: "F0",
  "4400": "0F",
  "8300": "00 00",
  "2E00": "00 00",
  AB00: "00",
  "0E04": "F0", // one byte that is no temperature: A500 holds it
  A500: "C0 04", // 76.0
  "2800": "10 27", // 20 000 h
  "2900": "88 13",
  "4904": "11",
  "2004": "E8 03",
  // Filled in.
  "5400": "00",
  "5800": "F0",
  "5500": "00 00",
  A400: "00 00",
  FB00: "00 00",
  "0F04": "10 04", // 65.0
  "0704": "18",
  "0804": "18",
  "9E00": "00",
  "3900": "00 00",
  EA03: "D0 03", // 61.0
  "7B00": "F0",
  "3F00": "F0",
  F203: "0F",
  "2400": "00 00",
  "2200": "A4 06",
  "2300": "E0 07",
  "1400": "98 3A",
  "1B00": "2C 1A",
  "1F00": "02",
  "2000": "00",
  "8104": "30 33 30 31 32 33 34 35",
  "9A00": "5D 00",
  "0300": "F0",
  "2F00": "00 00",
  "3C00": "F0",
  DF00: "DC 05",
  E000: "70 17",
  E400: "F0",
  F200: "00",
  F300: "00 00",
};

/** Writable registers with their limits in the unit of the wire: D2C steps of a sixteenth, or plain bytes. */
export const BOILER_WRITABLE: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly width: number }>
> = {
  A500: { min: 20 * 16, max: 80 * 16, width: 2 },
  "0F04": { min: 30 * 16, max: 65 * 16, width: 2 },
  "0704": { min: 0, max: 40, width: 1 },
  "0804": { min: 0, max: 40, width: 1 },
  "4904": { min: 0, max: 255, width: 1 },
  "8104": { min: 0, max: Number.POSITIVE_INFINITY, width: 8 },
};

/** B511 with 01, a real capture: flow 24.5, return 24.0, no outdoor sensor, 24.0, no cylinder sensor, pump off. */
export const BOILER_STATUS_CAPTURED = "31 30 00 80 30 FF 00 01 FF";
/** B511 with 00 and 02: forms that vary between boilers. Filled in. */
export const BOILER_STATUS_00 = "00 00 00 00 00 00 00 00";
export const BOILER_STATUS_02 = "03 3C 98 46 78";
