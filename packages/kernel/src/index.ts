export { isJsonObject, type Json, type JsonObject } from "./json.ts";
export { days, hours, millis, minutes, seconds, type Duration } from "./duration.ts";
export type { Cancel, Clock } from "./clock.ts";
export { createRealClock } from "./real-clock.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";
export { errorsFrom, SteadingError, type ErrorExtras, type ErrorRow, type ErrorTable } from "./steading-error.ts";
export { effectiveRole, roleAtLeast, ROLES, type Caller, type Role, type TokenScope } from "./caller.ts";
export type {
  AccessTokenInfo,
  Account,
  AccountAsker,
  AccountChanged,
  AccountDesk,
  Accounts,
  AccountsImported,
  AccountUpdate,
  Authenticated,
  ImportedAccount,
  Login,
  LoginAttempt,
  NewAccessToken,
  NewAccount,
} from "./accounts.ts";
export { silentLog, type Log } from "./log.ts";
export {
  STREAMS,
  type Commit,
  type Committed,
  type Durability,
  type Entry,
  type Ledger,
  type ListOptions,
  type NewRecord,
  type ReadRecords,
  type StoredRecord,
  type StreamName,
} from "./ledger.ts";
export { argumentProblems, invalidArguments, type ArgumentProblem } from "./argument-problems.ts";
export { asSteadingError } from "./internal-error.ts";
export { KERNEL_ERRORS, kernelError } from "./kernel-errors.ts";
export { frozenCopy } from "./frozen-copy.ts";
export {
  createMemoryLedger,
  MEMORY_LEDGER_LIMITS,
  type MemoryLedger,
  type MemoryLedgerLimits,
} from "./memory-ledger.ts";
export { createReception, isReceived, type Received, type Reception } from "./received.ts";
export { observedReceipt, receipt, receiptJson, STAGES, type Receipt, type Stage } from "./receipt.ts";
export type { Confirm, Drive, Effect, Observe, Outcome, Toward } from "./effect.ts";
export type { Approval, ApprovalRequest, Approvals, ApprovalState } from "./approval.ts";
export { APPROVAL_LIMITS, createApprovals, type ApprovalLimits } from "./create-approvals.ts";
export type { Interlock, LookedAt, Refusal } from "./interlock.ts";
export { limit, type LimitOptions } from "./interlocks/limit.ts";
export { minimumInterval, type MinimumIntervalOptions } from "./interlocks/minimum-interval.ts";
export { mutualExclusion, type MutualExclusionOptions } from "./interlocks/mutual-exclusion.ts";
export { rate, type RateOptions } from "./interlocks/rate.ts";
export type { ActionRecord, Door, PerformOptions } from "./door.ts";
export { createDoor, type DoorCounters, type DoorDeps, type WorkingDoor } from "./create-door.ts";
export { DOOR_LIMITS, type DoorLimits } from "./door-limits.ts";
export {
  TOOL_NAME,
  type AskedEffect,
  type CallExtras,
  type Tool,
  type EncodedAnswer,
  type ToolAnnotations,
  type ToolContext,
  type ToolSpec,
} from "./tool.ts";
export { defineTool } from "./define-tool.ts";
export { deviceText, hasHarmfulText } from "./device-text.ts";
export { nearestName } from "./nearest-name.ts";
export type { Toolset } from "./toolset.ts";
export type { CallRequest, CallResult, Dispatcher, View } from "./dispatcher.ts";
export {
  createDispatcher,
  DISPATCHER_LIMITS,
  type DispatcherCounters,
  type DispatcherLimits,
  type WorkingDispatcher,
} from "./create-dispatcher.ts";
export { createActionTools } from "./action-tools.ts";
export { createActionResources } from "./action-resources.ts";
export { actionJson, ActionJson } from "./action-json.ts";
export type { Journal, NewEvent } from "./journal.ts";
export { newRecord } from "./new-record.ts";
export { createJournal, type JournalCounters, type WorkingJournal } from "./create-journal.ts";
export { redact, redactText, REDACTED } from "./redact.ts";
export { canonicalHash } from "./canonical-hash.ts";
export {
  createEnvelope,
  type Consistency,
  type Envelope,
  type EnvelopeContent,
  type EnvelopeContract,
  type EnvelopeError,
} from "./envelope.ts";
export type { Health, Part, ResourceContent, ResourceInfo, ResourceProvider } from "./part.ts";
export type {
  PartHttp,
  Route,
  RouteAnswer,
  RouteArguments,
  RouteContext,
  RouteFailure,
  RouteInput,
} from "./part-route.ts";
export type { PartSocket, SocketHandlers, SocketRequest, SocketRoute } from "./part-socket.ts";
export type { MqttClaim, MqttClient, MqttConnect, MqttHandlers, MqttMessage } from "./part-mqtt.ts";
export {
  createSnapshots,
  SNAPSHOT_LIMITS,
  type Captured,
  type SnapshotInfo,
  type SnapshotLimits,
  type Snapshots,
} from "./snapshot.ts";
