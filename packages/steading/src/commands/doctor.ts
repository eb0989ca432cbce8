import { SteadingError } from "@steading/kernel";
import { bad, good, type Finding } from "../doctor/finding.ts";
import { checkClock, checkDisk, checkNode, checkPort } from "../doctor/machine-checks.ts";
import { checkPermissions, checkStagedRestore, checkState } from "../doctor/state-checks.ts";
import { EXIT } from "../exit-codes.ts";
import { askDesk } from "../local/desk.ts";
import { connectToHub } from "../local/hub-socket.ts";
import { chooseSettings } from "../settings/choose-settings.ts";
import { controlPath, dataDirectory } from "../settings/data-directory.ts";
import { readEnvironment } from "../settings/environment.ts";
import { farmListener } from "../settings/farm-settings.ts";
import type { Settings } from "../settings/settings-schema.ts";
import type { World } from "../world.ts";
import { cellText } from "./print-table.ts";

export interface DoctorFlags {
  readonly data?: string;
  readonly config?: string;
  readonly json?: true;
}

/** Looks at everything a hub needs and says what is wrong and what to do. Repairs nothing. */
export async function doctor(flags: DoctorFlags, world: World): Promise<number> {
  const environment = readEnvironment(world.variables);
  const data = dataDirectory(flags.data, environment);
  const findings: Finding[] = [checkNode(process.versions.node), checkClock(Date.now(), data), checkDisk(data)];
  const settings = readSettings(flags, data, world, findings);
  findings.push(checkPermissions(data));
  const runs = await isRunning(data);
  if (runs) findings.push(await askTheHub(data, world));
  else {
    findings.push(await checkState(data));
    for (const [index, listener] of (settings?.listen ?? []).entries())
      findings.push(await checkPort(listener, `listen[${index}]`));
    const farm = settings && farmListener(settings);
    if (farm) findings.push(await checkPort(farm, "farm"));
  }
  const staged = checkStagedRestore(data);
  if (staged) findings.push(staged);

  const healthy = findings.every(({ verdict }) => verdict !== "bad");
  if (flags.json) world.stdout.write(`${JSON.stringify({ healthy, findings })}\n`);
  else world.stdout.write(inWords(findings, healthy));
  return healthy ? EXIT.ok : EXIT.toolError;
}

function readSettings(flags: DoctorFlags, data: string, world: World, findings: Finding[]): Settings | undefined {
  const { workingDirectory, variables } = world;
  try {
    const settings = chooseSettings({
      given: flags.config === undefined ? {} : { config: flags.config },
      environment: readEnvironment(variables),
      places: [workingDirectory, data],
      workingDirectory,
    });
    findings.push(good("settings", "They are valid."));
    return settings;
  } catch (error) {
    if (!(error instanceof SteadingError)) throw error;
    findings.push(bad("settings", error.message, error.hint));
    return undefined;
  }
}

async function isRunning(data: string): Promise<boolean> {
  const socket = await connectToHub({ path: controlPath(data), role: "admin" });
  socket?.destroy();
  return socket !== undefined;
}

async function askTheHub(data: string, world: World): Promise<Finding> {
  const { status, reason, pid } = await askDesk({ data }, world, "check_hub", {});
  const who = `A hub runs (process ${cellText(pid)})`;
  return status === "ok"
    ? good("hub", `${who} and is well.`)
    : bad("hub", `${who} and is ${cellText(status)}: ${cellText(reason ?? "it does not say why")}`);
}

const MARKS = { good: "ok  ", odd: "look", bad: "BAD " } as const;

function inWords(findings: readonly Finding[], healthy: boolean): string {
  const lines = findings.flatMap(({ check, verdict, says, hint }) => [
    `${MARKS[verdict]}  ${check}: ${says}`,
    ...(hint === undefined || verdict === "good" ? [] : [`      ${hint}`]),
  ]);
  return `${lines.join("\n")}\n\n${healthy ? "Nothing is wrong." : "Something needs care; see BAD above."}\n`;
}
