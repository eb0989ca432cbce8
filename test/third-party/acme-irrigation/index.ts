import {
  createSubjectTools,
  type Configure,
  type MetadataProvider,
  type MethodInfo,
  type PathProvider,
  type Subject,
  type SubjectTools,
  type TypeInfo,
  type TypeProvider,
} from "@steading/subjects";

/** What the product exposes, written again from the exported interfaces alone. */
export const acmePaths: PathProvider = {
  includes: ({ facets, shape }) =>
    facets.secret !== true && facets.exposed !== false && (shape !== undefined || (facets.role ?? "state") === "state"),
  segment: () => null,
};

/** Exposes what carries a tag of its own choice, under the name in it, and hides everything else. */
export const taggedPaths: PathProvider = {
  includes: ({ facets, shape }) => shape !== undefined || facets.description?.startsWith("acme:") === true,
  segment: ({ facets, shape }) => (shape === undefined ? (facets.description?.slice("acme:".length) ?? null) : null),
};

export const acmeMetadata: MetadataProvider = {
  subject: ({ title, icon, iconColor, description }) => ({
    ...(title === undefined ? {} : { $title: title }),
    ...(icon === undefined ? {} : { $icon: icon }),
    ...(iconColor === undefined ? {} : { $iconColor: iconColor }),
    ...(description === undefined ? {} : { $description: description }),
  }),
  methods: (subject): Iterable<MethodInfo> => subject.methods(),
};

/** All four points at once: fields of subjects and properties, methods, known types. */
export const irrigation: MetadataProvider = {
  subject: (subject) => ({ $properties: [...subject.properties()].length }),
  property: (property) => (property.isDynamic ? { isDiscovered: true } : {}),
  methods: () => [{ name: "describe", kind: "query", invoke: () => "a tank" }],
  types: (): Iterable<TypeInfo> => [
    { name: "MyPlugin.Devices.IrrigationController", description: "Controls irrigation" },
  ],
};

export const acmeTypes: TypeProvider = {
  types: () => [{ name: "Acme.Valve", description: "Lets water through", isInterface: true, definition: undefined }],
};

export function createAcmeSubjectTools(root: Subject | (() => Subject), configure?: Configure): SubjectTools {
  return createSubjectTools(root, (config) => {
    config.pathProvider = acmePaths;
    config.addMetadataProvider(acmeMetadata);
    configure?.(config);
  });
}
