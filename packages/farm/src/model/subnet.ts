import { networkInterfaces } from "node:os";
import { farmError } from "../farm-errors.ts";

const FORM = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\.\d{1,3})?(?:\/24)?$/;

/** Addresses that a site uses for itself; nobody else's network is searched from here. */
function isOwn(a: number, b: number): boolean {
  return (
    a === 10 ||
    a === 127 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127)
  );
}

/** `192.168.1`, `192.168.1.0` or `192.168.1.0/24` as its first three numbers; without one, the machine's own. */
export function readSubnet(text: string | undefined): string {
  const given = text ?? ownAddress();
  if (given === undefined) throw farmError("BAD_INPUT", "This machine has no address of its own; name a subnet.");
  const parts = (FORM.exec(given.trim()) ?? []).slice(1, 4).map(Number);
  const [a = -1, b = -1, c = -1] = parts;
  if (parts.length !== 3 || parts.some((part) => part > 255)) {
    throw farmError("BAD_INPUT", "subnet must be one /24 such as 192.168.1.0/24.", { details: { field: "subnet" } });
  }
  if (!isOwn(a, b)) {
    throw farmError("BAD_INPUT", `${a}.${b}.${c} is not a private network; only such are searched.`);
  }
  return `${a}.${b}.${c}`;
}

function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
