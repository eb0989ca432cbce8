export type { Facets, PropertyRole } from "./define/facets.ts";
export type { JsonTypeName, ValueType } from "./define/value-type.ts";
export { p } from "./define/p.ts";
export { c } from "./define/c.ts";
export { m } from "./define/m.ts";
export { mixin } from "./define/mixin.ts";
export { defineSubject } from "./define/define-subject.ts";
export { unitById, unitFrom, UNITS, type Unit } from "./define/units.ts";
export type { Property } from "./define/property.ts";
export type { Child, ChildShape } from "./define/child.ts";
export type { CallContext, Method, MethodKind, MethodSpec } from "./define/method.ts";
export { defineInterface, type Interface } from "./define/define-interface.ts";
export type { AnySubjectType, Infer, Mixin, Owned, SubjectType } from "./define/subject-type.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./define/standard-schema.ts";
export type { ChildrenHandle, Subject } from "./instance/subject.ts";
export type { Quality } from "./info/quality.ts";
export type { MethodInfo, PropertyInfo, PropertyKind, SubjectInfo, TypeInfo } from "./info/subject-info.ts";
export type {
  MetadataProvider,
  PathProvider,
  TypeDefinition,
  TypeEntry,
  TypeProperty,
  TypeProvider,
} from "./info/providers.ts";
export type {
  Change,
  ChangeStream,
  ChangeStreamOptions,
  LifecycleEvent,
  Origin,
  StructureEvent,
  StructureStream,
  StructureStreamOptions,
} from "./graph/change.ts";
export { createGraph } from "./graph/create-graph.ts";
export { graphOf } from "./graph/graph-of.ts";
export { Folder } from "./graph/folder.ts";
export type { CapturedView, Graph, GraphOptions, WriteOptions, WriteResult } from "./graph/graph.ts";
export type { ChildEntry, GraphView } from "./graph/view.ts";
export type { AttributeSpec, DerivedOptions, ParentEntry, PropertyHandle, Registry } from "./graph/registry.ts";
export {
  STAGES_OF_WRITE,
  type Extension,
  type StagePlace,
  type WriteInProgress,
  type WriteStage,
} from "./graph/stage.ts";
export type { Transaction, TransactionOptions } from "./graph/transaction.ts";
export { all, camelCase, declaredMethods, explicit, state } from "./paths/path-providers.ts";
export {
  escapeName,
  escapeText,
  joinPath,
  parsePath,
  printStep,
  type ParsedPath,
  type PathStep,
} from "./paths/path-text.ts";
export { outsideValue } from "./coerce/outside-value.ts";
export { toSignal, type PropertySignal } from "./instance/to-signal.ts";
export { isSubject } from "./instance/held.ts";
export { setId } from "./instance/subject-id.ts";
export { SUBJECT_ERRORS, SubjectError, subjectError, type SubjectErrorCode } from "./subject-error.ts";
export type { InvalidPath, Located, MissingPath, Resolution } from "./paths/resolution.ts";
export type {
  BranchSync,
  Source,
  SourceContext,
  SourceDiagnostics,
  SourceHandle,
  SourceOptions,
  SourceWrite,
  SyncState,
  Update,
  UpdateTarget,
  WriteOutcome,
} from "./sources/source.ts";

// The tools over the graph.
export { createSubjectTools, type SubjectTools } from "./tools/create-subject-tools.ts";
export type { ToolRoot } from "./tools/tool-world.ts";
export type { AuthorizeRequest, Configure, SubjectActionRecord, SubjectToolsConfig } from "./tools/tools-config.ts";
export { DEFAULT_LIMITS, type SubjectToolLimits } from "./tools/tool-limits.ts";
export { SUBJECT_TOOL_ERRORS, type SubjectToolCode } from "./tools/tool-errors.ts";
export {
  AGGREGATIONS,
  type Aggregation,
  type HistoryPoint,
  type HistoryPort,
  type HistoryQuestion,
} from "./tools/history-port.ts";
// Trying a device.
export { createWorkbench, type Workbench } from "./workbench.ts";

// Lists, mirrors, and types made from data.
export { applyListDiff, diffList, type ListDiff } from "./sources/list-diff.ts";
export {
  applyMirrorUpdate,
  toMirror,
  toMirrorUpdate,
  type Mirror,
  type MirrorDiff,
  type MirrorOptions,
  type MirrorProperty,
  type MirrorSubject,
  type MirrorUpdate,
} from "./sources/mirror.ts";
export type {
  DataDefinition,
  DataMethod,
  DataProperty,
  DataSubject,
  DataType,
  Invoke,
} from "./import/data-definition.ts";
export { defineFromData } from "./import/define-from-data.ts";
export { createFromData, discover } from "./import/discover.ts";
export { fromDiscoveryPayload } from "./import/discovery-payload.ts";
export { fromRegisterMap, type RegisterEntry, type RegisterMap } from "./import/register-map.ts";
export { fromThingDescription, type ThingOptions } from "./import/thing-description.ts";
export { toThingDescription, type ThingExportOptions } from "./import/to-thing-description.ts";
