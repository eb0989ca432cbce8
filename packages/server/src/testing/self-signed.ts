import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate for localhost, signed by itself, good for the year 2026 and long after. For tests of encryption only. */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const name = sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from("localhost")))));
  const validity = sequence(time("20200101000000Z"), time("21200101000000Z"));
  const names = sequence(tagged(0x82, Buffer.from("localhost")), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = tagged(0xa3, sequence(sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, names))));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.from([1])), // serial number
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    extensions,
  );
  const signature = tagged(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const certificate = sequence(body, ecdsaWithSha256, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** DER: tag, length, content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const size = bytes.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}
function sequence(...content: readonly Buffer[]): Buffer {
  return tagged(0x30, ...content);
}
function oid(...bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}
function time(text: string): Buffer {
  return tagged(0x18, Buffer.from(text));
}
