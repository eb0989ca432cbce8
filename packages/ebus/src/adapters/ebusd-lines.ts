/** One line of `grab result all`: `3115070400 / 0ab5424153563205071704 = 2: scan.15`. */
export interface GrabbedMessage {
  readonly request: Uint8Array;
  /** Absent for broadcasts. */
  readonly response?: Uint8Array;
  readonly count: number;
  readonly name?: string;
}

/** One line of `scan result`: `15;Vaillant;BASV2;0507;1704`, with serial data before the address where it is known. */
export interface ScannedDevice {
  readonly address: number;
  readonly manufacturer: string;
  readonly deviceId: string;
  readonly software: string;
  readonly hardware: string;
  readonly serial?: string;
}

/** One address line of `info`. */
export interface KnownAddress {
  readonly address: number;
  readonly role: "master" | "slave";
  /** The daemon itself. */
  readonly self: boolean;
  readonly identity?: {
    readonly manufacturer: string;
    readonly deviceId: string;
    readonly software: string;
    readonly hardware: string;
  };
}

export function readGrabbedLine(line: string): GrabbedMessage | undefined {
  const found = /^([0-9a-f]+)(?:\s*\/\s*([0-9a-f]+))?\s*=\s*(\d+)(?::\s*(.+))?$/i.exec(line.trim());
  const [, request, response, count, name] = found ?? [];
  if (request === undefined || count === undefined || request.length % 2 || (response?.length ?? 0) % 2)
    return undefined;
  return {
    request: bytes(request),
    ...(response !== undefined && { response: bytes(response) }),
    count: Number(count),
    ...(name !== undefined && { name }),
  };
}

export function readScannedLine(line: string): ScannedDevice | undefined {
  const fields = line.trim().split(";");
  // Serial data stands before the address or after the hardware, depending on the daemon's configuration.
  const at = fields.findIndex(
    (field, index) => /^[0-9a-f]{2}$/i.test(field) && isVersion(fields[index + 3]) && isVersion(fields[index + 4]),
  );
  const [address, manufacturer, deviceId, software, hardware] = fields.slice(at);
  if (at < 0 || address === undefined || manufacturer === undefined || deviceId === undefined) return undefined;
  if (software === undefined || hardware === undefined) return undefined;
  const serial = [...fields.slice(0, at), ...fields.slice(at + 5)].filter((field) => field !== "").join(";");
  return {
    address: Number.parseInt(address, 16),
    manufacturer,
    deviceId: deviceId.trim(),
    software,
    hardware,
    ...(serial !== "" && { serial }),
  };
}

export function readInfoLine(line: string): KnownAddress | undefined {
  const [, address, role, rest = ""] = /^address ([0-9a-f]{2}): (master|slave)\b(.*)$/i.exec(line.trim()) ?? [];
  if (address === undefined || role === undefined) return undefined;
  const [, manufacturer, deviceId, software, hardware] =
    /"?MF=([^;"]*);ID=([^;"]*);SW=([^;"]*);HW=([^;"]*)"?/.exec(rest) ?? [];
  const whole =
    manufacturer !== undefined && deviceId !== undefined && software !== undefined && hardware !== undefined;
  return {
    address: Number.parseInt(address, 16),
    role: role.toLowerCase() === "master" ? "master" : "slave",
    self: /\b(self|ebusd)\b/i.test(rest.replace(/"[^"]*"/g, "")),
    ...(whole && { identity: { manufacturer, deviceId: deviceId.trim(), software, hardware } }),
  };
}

function isVersion(field: string | undefined): boolean {
  return /^[0-9a-f]{4}$/i.test(field ?? "");
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}
