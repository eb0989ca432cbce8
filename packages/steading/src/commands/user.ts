import { isJsonObject, type JsonObject, type Role } from "@steading/kernel";
import { EXIT } from "../exit-codes.ts";
import { askDesk, type DeskAddress } from "../local/desk.ts";
import type { World } from "../world.ts";
import { askPassword, askYes } from "./ask-person.ts";
import { cellText, printTable } from "./print-table.ts";

export interface UserFlags extends DeskAddress {
  readonly json?: true;
}

export async function listUsers(flags: UserFlags, world: World): Promise<number> {
  const answer = await askDesk(flags, world, "list_users", {});
  const users = Array.isArray(answer["users"]) ? answer["users"].filter(isJsonObject) : [];
  return say(answer, users.length === 0 ? "No users.\n" : asTable(users), flags, world);
}

export async function addUser(
  name: string,
  flags: UserFlags & { readonly role: Role; readonly displayName?: string; readonly password: boolean },
  world: World,
): Promise<number> {
  const { role, displayName } = flags;
  const password = flags.password ? await askPassword(world) : undefined;
  const answer = await askDesk(flags, world, "create_user", {
    name,
    role,
    ...(displayName !== undefined && { display_name: displayName }),
    ...(password !== undefined && { password }),
  });
  return say(answer, `Added ${nameIn(answer)} as ${role}.\n`, flags, world);
}

export async function changeUser(
  name: string,
  change: { readonly role: Role } | { readonly disabled: boolean },
  flags: UserFlags,
  world: World,
): Promise<number> {
  const answer = await askDesk(flags, world, "update_user", { name, ...change });
  const what = "role" in change ? `is ${change.role}` : change.disabled ? "is disabled" : "is enabled";
  return say(answer, `${nameIn(answer)} ${what}.\n`, flags, world);
}

export async function setPassword(name: string, flags: UserFlags, world: World): Promise<number> {
  const password = await askPassword(world);
  const answer = await askDesk(flags, world, "set_password", { name, password });
  return say(answer, `${nameIn(answer)} has another password; every login of it has ended.\n`, flags, world);
}

export async function deleteUser(
  name: string,
  flags: UserFlags & { readonly yes?: true },
  world: World,
): Promise<number> {
  if (flags.yes !== true && !(await askYes(`Delete ${name} with all tokens and logins?`, world))) {
    world.stderr.write("Nothing was changed.\n");
    return EXIT.ok;
  }
  const answer = await askDesk(flags, world, "delete_user", { name });
  return say(answer, `Deleted ${nameIn(answer)}.\n`, flags, world);
}

function say(answer: JsonObject, words: string, flags: UserFlags, { stdout }: World): number {
  stdout.write(flags.json ? `${JSON.stringify(answer)}\n` : words);
  return EXIT.ok;
}

function nameIn({ user }: JsonObject): string {
  return isJsonObject(user) ? cellText(user["name"]) : "";
}

function asTable(users: readonly JsonObject[]): string {
  return printTable(
    ["NAME", "ROLE", "STATE", "PASSWORD", "LAST LOGIN"],
    users.map((user) => [
      cellText(user["name"]),
      cellText(user["role"]),
      user["disabled"] === true ? "disabled" : "enabled",
      user["has_password"] === true ? "yes" : "no",
      cellText(user["last_login_at"] ?? "never"),
    ]),
  );
}
