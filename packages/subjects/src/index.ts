export type { Facets, PropertyRole } from "./define/facets.ts";
export type { JsonTypeName, ValueType } from "./define/value-type.ts";
export type { Property } from "./define/property.ts";
export type { Child, ChildShape } from "./define/child.ts";
export type { CallContext, Method, MethodKind, MethodSpec } from "./define/method.ts";
export type { Interface } from "./define/define-interface.ts";
export type { AnySubjectType, Infer, Mixin, Owned, SubjectType } from "./define/subject-type.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./define/standard-schema.ts";
export type { ChildrenHandle, Subject } from "./instance/subject.ts";
export type { Quality } from "./info/quality.ts";
export type { MethodInfo, PropertyInfo, PropertyKind, SubjectInfo, TypeInfo } from "./info/subject-info.ts";
export type { MetadataProvider, PathProvider, TypeDefinition, TypeEntry, TypeProperty, TypeProvider } from "./info/providers.ts";
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
export type { CapturedView, Graph, GraphOptions, WriteOptions, WriteResult } from "./graph/graph.ts";
export type { ChildEntry, GraphView } from "./graph/view.ts";
export type { AttributeSpec, DerivedOptions, ParentEntry, PropertyHandle, Registry } from "./graph/registry.ts";
export { STAGES_OF_WRITE, type Extension, type StagePlace, type WriteInProgress, type WriteStage } from "./graph/stage.ts";
export type { Transaction, TransactionOptions } from "./graph/transaction.ts";
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
