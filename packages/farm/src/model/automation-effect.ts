import {
  millis,
  minutes,
  receiptJson,
  SteadingError,
  type AskedEffect,
  type Door,
  type JsonObject,
  type Outcome,
} from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import type { Automation } from "./rows.ts";

/** The name under which the door keeps effects on automations. */
const AUTOMATION_OBSERVER = "farm.automation";

/** Longer than any single switch; a run is as long as its switches together. */
const RUN_DEADLINE = minutes(5);

/** An effect on the hub's own programs: it changes what the hub will do, so it passes the door like every other. */
export function automationEffect({
  automation,
  verb,
  toward,
  arguments: given,
  run,
}: {
  readonly automation: Automation;
  readonly verb: "trigger" | "enable" | "disable";
  readonly toward: AskedEffect["toward"];
  readonly arguments: JsonObject;
  readonly run: () => Promise<JsonObject>;
}): AskedEffect {
  const { id } = automation;
  return {
    arguments: { automation_id: id, ...given },
    // One run at a time; but who disables a program must not wait until its run has ended.
    target: verb === "trigger" ? `farm.automation:${id}:run` : `farm.automation:${id}`,
    toward,
    summary: `${verb} automation ${id}`,
    observer: AUTOMATION_OBSERVER,
    observeWith: { automation_id: id },
    before: automation.enabled,
    drive: {
      send(wire) {
        wire.firstByte();
        return run();
      },
    },
    sendDeadline: RUN_DEADLINE,
    // Nothing outside could be looked at: what the hub wrote down is all there is.
    observeDeadline: millis(0),
  };
}

/** Throws unless the effect was carried out to its end. */
export function checkCarriedOut({ receipt, error }: Outcome): void {
  if (receipt.stage === "acknowledged") return;
  throw new SteadingError(error?.code ?? "INTERRUPTED", error?.message ?? "It was cut off; look what became of it.", {
    retryable: error?.retryable ?? false,
    details: { receipt: receiptJson(receipt) },
  });
}

export function registerAutomationObserver(door: Pick<Door, "registerObserver">): void {
  door.registerObserver(AUTOMATION_OBSERVER, () => ({
    read: () =>
      Promise.reject(farmError("NOT_AVAILABLE", "What became of a run that was cut off cannot be read from anywhere.")),
    satisfies: () => false,
  }));
}
