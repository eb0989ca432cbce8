import { createSubjectTools, declaredMethods, state } from "@steading/subjects";
import type { MetadataProvider, PathProvider, Subject, TypeProvider } from "@steading/subjects";

export const configured = (root: Subject, myTypes: TypeProvider) =>
  createSubjectTools(root, (config) => {
    config.pathProvider = state(); // what is exposed, and under which name
    config.addMetadataProvider(declaredMethods()); // methods of m.operation and m.query
    config.addTypeProvider(myTypes); // more types for list_types and filters
    config.access = "read"; // refuse everything but effects towards safe
    config.limits.maxSubjects = 50;
    config.authorize = ({ caller, action }) => caller.role === "admin" || action !== "write";
  });

export const upper: PathProvider = {
  includes: (property) => property.facets.role !== "diagnostic",
  segment: (property) => property.name.toUpperCase(),
};

export const rooms = (titles: ReadonlyMap<string, string>): MetadataProvider => ({
  subject: (subject) => ({ $title: titles.get(subject.id), $floor: 2 }),
  property: (property) => (property.facets.cumulative === true ? { isCumulative: true } : {}),
  methods: () => [{ name: "locate", kind: "query", invoke: () => "first door on the left" }],
  types: () => [{ name: "MyPlugin.Devices.IrrigationController", description: "Waters things" }],
});
