import { isJsonObject, type JsonObject, type Role } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { askDesk, type DeskAddress } from "../local/desk.ts";
import type { World } from "../world.ts";
import { cellText, printTable } from "./print-table.ts";

export interface TokenFlags extends DeskAddress {
  readonly json?: true;
}

export interface NewTokenFlags extends TokenFlags {
  readonly label: string;
  readonly role?: Role;
  readonly toolsets?: readonly string[];
  readonly paths?: readonly string[];
  readonly days?: number;
}

export async function createToken(owner: string, flags: NewTokenFlags, world: World): Promise<number> {
  const { label, role, toolsets, paths, days, json } = flags;
  const answer = await askDesk(flags, world, "create_token", {
    owner,
    label,
    ...(role !== undefined && { role }),
    ...(toolsets !== undefined && { toolsets: [...toolsets] }),
    ...(paths !== undefined && { paths: [...paths] }),
    ...(days !== undefined && { days }),
  });
  if (json) world.stdout.write(`${JSON.stringify(answer)}\n`);
  else {
    // Alone on standard output, so that a script can take it.
    world.stdout.write(`${cellText(answer["token"])}\n`);
    world.stderr.write("This token is shown once; only its hash is kept. Keep it like a password.\n");
  }
  return EXIT.ok;
}

export async function listTokens(owner: string | undefined, flags: TokenFlags, world: World): Promise<number> {
  const answer = await askDesk(flags, world, "list_tokens", { ...(owner !== undefined && { owner }) });
  const tokens = Array.isArray(answer["tokens"]) ? answer["tokens"].filter(isJsonObject) : [];
  const words = tokens.length === 0 ? "No tokens.\n" : asTable(tokens);
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}

export async function revokeToken(id: string, flags: TokenFlags, world: World): Promise<number> {
  const answer = await askDesk(flags, world, "revoke_token", { id });
  world.stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : "Revoked; whatever was open with it has ended.\n");
  return EXIT.ok;
}

function asTable(tokens: readonly JsonObject[]): string {
  return printTable(
    ["ID", "OWNER", "LABEL", "ROLE", "ONLY", "EXPIRES", "LAST USED"],
    tokens.map((token) => [
      cellText(token["id"]),
      cellText(token["owner"]),
      cellText(token["label"]),
      cellText(token["role"]),
      [token["toolsets"], token["paths"]].flatMap((each) => (Array.isArray(each) ? each.map(String) : [])).join(" ") ||
        "-",
      cellText(token["expires_at"] ?? "never"),
      cellText(token["last_used_at"] ?? "never"),
    ]),
  );
}
