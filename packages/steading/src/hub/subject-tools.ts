import {
  createSubjectTools,
  declaredMethods,
  state,
  type MetadataProvider,
  type Subject,
  type SubjectTools,
  type SubjectToolsConfig,
} from "@steading/subjects";

/**
 * The subject tools with the product's defaults: every state property and every declared method, with titles, icons and
 * units. `configure` comes last and can override all of it. Nothing here that a third party could not write.
 */
export function createSteadingSubjectTools(
  root: Subject | (() => Subject),
  configure?: (config: SubjectToolsConfig) => void,
): SubjectTools {
  return createSubjectTools(root, (config) => {
    config.pathProvider = state();
    config.addMetadataProvider(productMetadata).addMetadataProvider(declaredMethods());
    configure?.(config);
  });
}

/** What the definitions say about themselves, under the names that clients show. */
const productMetadata: MetadataProvider = {
  subject: ({ title, icon, iconColor, description }) => ({
    ...(title !== undefined && { $title: title }),
    ...(icon !== undefined && { $icon: icon }),
    ...(iconColor !== undefined && { $iconColor: iconColor }),
    ...(description !== undefined && { $description: description }),
  }),
  property: ({ facets: { unit, position, cumulative } }) => ({
    ...(unit !== undefined && { unit }),
    ...(position !== undefined && { position }),
    ...(cumulative === true && { isCumulative: true }),
  }),
};
