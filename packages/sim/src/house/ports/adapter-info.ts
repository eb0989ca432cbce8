import type { HouseSettings } from "../settings.ts";

const WIFI = 0x08;

/** What the adapter tells for an INFO id; nothing where it does not know it, or not with this version. */
export function adapterInfo(id: number, settings: HouseSettings, restarts: number): readonly number[] {
  const { adapterVersionLength, adapterJumpers } = settings;
  switch (id) {
    case 0x00:
      return [0x02, 0x01, 0x5b, 0x3c, adapterJumpers, 0x01, 0x9e, 0x27].slice(0, adapterVersionLength);
    case 0x01:
      return [0x00, 0x24, 0x6f, 0x28, 0xb1, 0x7c, 0x31, 0x04, 0x5d];
    case 0x02:
      return [0x12, 0x34, 0, 0, 0, 0, 0, 0];
    case 0x03:
      return [0x00, 0x22]; // 34 °C
    case 0x04:
      return [0x13, 0x88]; // 5 000 mV
    case 0x05:
      return [0xb9, 0x69]; // 18.5 V and 10.5 V
    case 0x06:
      return adapterVersionLength === 8 ? [0x01, restarts & 0xff] : [];
    case 0x07:
      return adapterVersionLength >= 5 && (adapterJumpers & WIFI) !== 0 ? [0xc4] : []; // −60 dBm
    default:
      return [];
  }
}
