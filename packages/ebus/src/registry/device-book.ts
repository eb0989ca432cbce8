import { companionInitiator } from "../wire/addresses.ts";
import type { FoundDevice } from "./scan.ts";

/** One device with all the addresses it was found at. */
export interface KnownDevice extends FoundDevice {
  /** Ascending: every target it answers at, and the initiator faces that were heard. */
  readonly addresses: readonly number[];
}

export interface DeviceBook {
  /** Adds what a scan found; answers the device it belongs to. */
  add(device: FoundDevice): KnownDevice;
  /** By address. */
  readonly devices: readonly KnownDevice[];
}

/** At most one entry an address, so never more than 228. Faces merge by serial number, else by what the device says of itself. */
export function createDeviceBook({ spoke }: { readonly spoke: (initiator: number) => boolean }): DeviceBook {
  const byAddress = new Map<number, FoundDevice>();

  function keyOf({ serial, manufacturer, deviceId, software, hardware }: FoundDevice): string {
    return serial ?? [manufacturer, deviceId, software, hardware].join("/");
  }
  function facesOf(faces: readonly FoundDevice[]): KnownDevice | undefined {
    const sorted = faces.toSorted((a, b) => a.address - b.address);
    const initiators = sorted
      .map(({ address }) => companionInitiator(address))
      .filter((initiator) => initiator !== undefined && spoke(initiator));
    // The face with an initiator behind it is the device itself, the others are aliases.
    const first = sorted.find(({ address }) => companionInitiator(address) !== undefined) ?? sorted[0];
    if (!first) return undefined;
    const addresses = [...sorted.map(({ address }) => address), ...initiators].toSorted((a = 0, b = 0) => a - b);
    return { ...first, addresses: addresses.filter((address) => address !== undefined) };
  }
  function grouped(): KnownDevice[] {
    const groups = new Map<string, FoundDevice[]>();
    for (const device of byAddress.values()) {
      const key = keyOf(device);
      groups.set(key, [...(groups.get(key) ?? []), device]);
    }
    return [...groups.values()].flatMap((faces) => facesOf(faces) ?? []).toSorted((a, b) => a.address - b.address);
  }

  return {
    add(device) {
      byAddress.set(device.address, device);
      const known = grouped().find(({ addresses }) => addresses.includes(device.address));
      return known ?? { ...device, addresses: [device.address] };
    },
    get devices() {
      return grouped();
    },
  };
}
