import type { JsonObject } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { AutomationChange, NewAutomation } from "./automation-input.ts";
import type { AutomationTemplates } from "./automation-templates.ts";
import { createAutomationRuns, touches, type Run } from "./automation-runs.ts";
import { checkKnowable } from "./channel.ts";
import type { FarmEvents } from "./farm-events.ts";
import { iso } from "./instant.ts";
import type { Perform } from "./relay-control.ts";
import type { Automation, AutomationLog } from "./rows.ts";
import { runActions, type RunDeps } from "./run-actions.ts";
import type { Tables } from "./tables.ts";

/** Programs of the farm: kept, listed, switched, and run once when somebody asks. */
export interface Automations {
  /** By priority, then name. */
  list(): readonly Automation[];
  get(id: number): Automation;
  /** Newest first, at most 50. */
  logs(id: number): readonly AutomationLog[];
  create(input: NewAutomation, by: string): Promise<Automation>;
  update(id: number, input: AutomationChange, by: string): Promise<Automation>;
  remove(id: number, by: string): Promise<void>;
  /** The other way round, or as told. */
  toggle(id: number, enabled: boolean | undefined, by: string): Promise<Automation>;
  duplicate(id: number, by: string): Promise<Automation>;
  /** Runs once, also when disabled. */
  trigger(id: number, options: TriggerOptions): Promise<JsonObject>;
  /** Ends the runs that have to do with such equipment: nothing more goes on, what should go off does. Returns how many. */
  stopRuns(isMeant: (equipmentId: number) => boolean, reason: string): number;
}

export interface TriggerOptions {
  readonly perform: Perform;
  readonly source: string;
  readonly by: string;
  /** The program when it was asked for, where it had to wait since: what was disabled meanwhile does not run. */
  readonly asked?: Automation;
}

export interface AutomationsDeps extends RunDeps {
  readonly templates: Pick<AutomationTemplates, "get">;
  readonly tables: Tables;
  readonly events: FarmEvents;
  readonly now: () => number;
}

const MOST_LOGS_SHOWN = 50;

export function createAutomations(deps: AutomationsDeps): Automations {
  const { book, tables, events, templates, now } = deps;
  const runs = createAutomationRuns();

  // Its template can change a program, too.
  events.on((event) => {
    if (event.kind !== "automation" || event.change !== "updated") return;
    const row = tables.get("automations", event.id);
    if (row) stopOutdated(row);
  });

  function stopRunsOf(id: number, reason: string): void {
    runs.stop((automation) => automation.id === id, reason);
  }

  /** Disabled means disabled, and a run of what the program does not say any more is nobody's wish. */
  function stopOutdated(row: Automation): void {
    const actions = JSON.stringify(row.actions);
    runs.stop(({ id, enabled }) => id === row.id && enabled && !row.enabled, "the automation was disabled");
    runs.stop((each) => each.id === row.id && JSON.stringify(each.actions) !== actions, "the automation was changed");
  }

  /** Whoever hangs on a template has its conditions and actions, whatever else was sent. */
  function shared(templateId: number | null | undefined): Partial<Automation> {
    if (templateId === null || templateId === undefined) return {};
    const { conditions, condition_logic, actions } = templates.get(templateId);
    return { conditions, condition_logic, actions };
  }

  function list(): readonly Automation[] {
    return tables.all("automations").toSorted((a, b) => a.priority - b.priority || a.name.localeCompare(b.name));
  }
  function get(id: number): Automation {
    const found = tables.get("automations", id);
    if (found) return found;
    const ids = list().map((each) => each.id);
    const there = ids.length === 0 ? "There is none at all." : `There is ${ids.slice(0, 20).join(", ")}.`;
    throw farmError("AUTOMATION_UNKNOWN", `There is no automation ${id}. ${there}`, { details: { automation_id: id } });
  }

  /** What can never work is refused when it is saved, not when it should run. */
  function check({ actions }: Automation): void {
    for (const { type, action, equipment_id } of actions) {
      const equipment = typeof equipment_id === "number" ? book.find(equipment_id) : undefined;
      if (type === "control" && action === "toggle" && equipment) checkKnowable(equipment);
    }
  }

  async function save(
    row: Automation,
    change: "created" | "updated" | "enabled" | "disabled",
    by: string,
  ): Promise<Automation> {
    if (change === "created" || change === "updated") check(row);
    // Before it is on disk: until then more would go on.
    if (change === "disabled") stopRunsOf(row.id, "the automation was disabled");
    if (change === "updated") stopOutdated(row);
    const data = { automation_id: row.id, name: row.name, enabled: row.enabled };
    await tables.commit([{ table: "automations", put: row }], { kind: `farm.automation.${change}`, by, data });
    events.emit({ kind: "automation", change, id: row.id });
    return row;
  }

  async function create(input: NewAutomation, by: string): Promise<Automation> {
    const at = now();
    const { name, description, enabled, priority, trigger_config, conditions, condition_logic, actions, template_id } =
      input;
    return save(
      {
        id: tables.nextId("automations"),
        name,
        description: description ?? null,
        enabled: enabled ?? true,
        priority: priority ?? 0,
        trigger_config: trigger_config ?? { type: "manual" },
        conditions: conditions ?? [],
        condition_logic: condition_logic ?? "AND",
        // Checked by the schema, and JSON by where they came from.
        actions: (actions ?? []) as readonly JsonObject[],
        template_id: template_id ?? null,
        ...shared(template_id),
        last_run: null,
        run_count: 0,
        created_at: at,
        updated_at: at,
      },
      "created",
      by,
    );
  }

  async function finish(
    { automation, stopped }: Run,
    results: readonly JsonObject[],
    startedAt: number,
    source: string,
  ): Promise<Automation> {
    const failures = results.filter(({ status }) => status === "error").length;
    const failed = failures > 0;
    const at = now();
    const told = failed ? `${failures} of ${results.length} actions failed` : `${results.length} actions executed`;
    const log: AutomationLog = {
      id: tables.nextId("automation_logs"),
      automation_id: automation.id,
      status: failed ? "failure" : "success",
      message: failed && stopped !== undefined ? `stopped: ${stopped}; ${told}` : told,
      triggered_at: startedAt,
      completed_at: at,
      source,
      outcome: !failed ? "ok" : failures < results.length ? "partial" : "failed",
      detail: results,
    };
    // It may have been edited while it ran; only the marks of the run are written.
    const current = tables.get("automations", automation.id) ?? automation;
    const done = { ...current, last_run: at, run_count: current.run_count + 1 };
    await tables.commit([
      { table: "automation_logs", put: log },
      ...(tables.get("automations", automation.id) ? [{ table: "automations", put: done } as const] : []),
    ]);
    return done;
  }

  return {
    list,
    get,
    logs: (id) =>
      tables
        .all("automation_logs")
        .filter((log) => log.automation_id === id)
        .slice(-MOST_LOGS_SHOWN)
        .toReversed(),
    create,
    async update(id, input, by) {
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const changed: Automation = { ...get(id), ...given, ...shared(input.template_id), updated_at: now() };
      return save(changed, "updated", by);
    },
    async remove(id, by) {
      const { name } = get(id);
      const data = { automation_id: id, name };
      stopRunsOf(id, "the automation was deleted");
      await tables.commit([{ table: "automations", delete: id }], { kind: "farm.automation.deleted", by, data });
      events.emit({ kind: "automation", change: "deleted", id });
    },
    async toggle(id, enabled, by) {
      const row = get(id);
      const changed = { ...row, enabled: enabled ?? !row.enabled, updated_at: now() };
      return save(changed, changed.enabled ? "enabled" : "disabled", by);
    },
    async duplicate(id, by) {
      const { id: _id, ...row } = get(id);
      const copy = { ...row, id: tables.nextId("automations"), name: copyName(row.name, list()), enabled: false };
      const at = now();
      return save({ ...copy, last_run: null, run_count: 0, created_at: at, updated_at: at }, "created", by);
    },
    stopRuns: (isMeant, reason) => runs.stop((automation) => touches(automation, isMeant), reason),
    async trigger(id, { perform, source, by, asked }) {
      const automation = get(id);
      if (asked?.enabled === true && !automation.enabled) {
        throw farmError("CANCELLED", `Automation ${id} was disabled while its run waited; nothing was switched.`, {
          details: { refused: true },
        });
      }
      const startedAt = now();
      const run = runs.begin(automation);
      let results: readonly JsonObject[];
      try {
        events.emit({ kind: "automation", change: "started", id });
        results = await runActions(run, perform, deps);
      } finally {
        run.end();
      }
      const done = await finish(run, results, startedAt, source);
      const success = results.every(({ status }) => status !== "error");
      events.emit({
        kind: "automation",
        change: "ended",
        id,
        data: {
          automationId: id,
          automationName: done.name,
          source,
          actionsCount: results.length,
          timestamp: iso(now()),
          by,
        },
      });
      return {
        success,
        automation_id: id,
        automation_name: done.name,
        trigger_type: source,
        executed_actions: results,
        run_count: done.run_count,
        last_run: done.last_run === null ? null : iso(done.last_run),
        message: success
          ? `Automation "${done.name}" executed`
          : run.stopped === undefined
            ? `Automation "${done.name}" ran, and not every action succeeded`
            : `Automation "${done.name}" was stopped: ${run.stopped}`,
      };
    },
  };
}

function copyName(name: string, all: readonly Automation[]): string {
  const names = new Set(all.map((each) => each.name));
  for (let n = 1; ; n += 1) {
    const copy = `${name} (Copy${n === 1 ? "" : ` ${n}`})`;
    if (!names.has(copy)) return copy;
  }
}
