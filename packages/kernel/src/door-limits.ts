import { ACTION_LIMITS, type ActionLimits } from "./action-store.ts";
import { hours, millis, seconds, type Duration } from "./duration.ts";

export interface DoorLimits {
  /** Live effects that may wait for one target. */
  readonly liveWaiting: number;
  readonly actions: ActionLimits;
  readonly keysPerPrincipal: number;
  readonly keyTtl: Duration;
  readonly sendDeadline: Duration;
  /** How long a driver that was told to stop may still hold its lane. */
  readonly sendGrace: Duration;
  readonly observeDeadline: Duration;
  /** Between two reads of one observation. */
  readonly observePause: Duration;
  /** How long an effect towards safe waits for the disk before it goes out without. */
  readonly safeCommitWait: Duration;
  /** Targets that recovery looks at side by side. */
  readonly recoverTogether: number;
}

export const DOOR_LIMITS: DoorLimits = {
  liveWaiting: 64,
  actions: ACTION_LIMITS,
  keysPerPrincipal: 10_000,
  keyTtl: hours(24),
  sendDeadline: seconds(10),
  sendGrace: seconds(1),
  observeDeadline: seconds(5),
  observePause: millis(100),
  safeCommitWait: seconds(1),
  recoverTogether: 8,
};
