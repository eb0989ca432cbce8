import type { JsonObject } from "@steading/kernel";
import { STATIC_DOCUMENT, type ResourceSource, type ServedContent } from "../lists/resource-source.ts";
import { onePixelPng } from "./samples.ts";

/** The documents the referee reads. */
export function fixtureResources(): ResourceSource {
  const fixed = new Map<string, ServedContent>([
    document("test://static-binary", { mimeType: "image/png", blob: onePixelPng() }),
    document("test://static-text", {
      mimeType: "text/plain",
      text: "This is the content of the static text resource.",
    }),
    document("test://watched-resource", { mimeType: "text/plain", text: "Watched." }),
  ]);
  return {
    scheme: "test",
    templates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "Data by id." }],
    list: (_, { after, limit }) =>
      [...fixed.values()]
        .filter(({ uri }) => after === undefined || uri > after)
        .slice(0, limit)
        .map(({ uri, mimeType }) => ({
          uri,
          mimeType,
          name: uri.slice("test://".length),
          description: `What the referee reads as ${uri}.`,
        })),
    read(uri) {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      if (id === undefined) return Promise.resolve(fixed.get(uri));
      const data: JsonObject = { id, templateTest: true, data: `Data for ID: ${id}` };
      return Promise.resolve({ uri, mimeType: "application/json", text: JSON.stringify(data) });
    },
  };
}

function document(
  uri: string,
  content: { mimeType: string } & ({ text: string } | { blob: string }),
): [string, ServedContent] {
  return [uri, { uri, ...content, cache: STATIC_DOCUMENT }];
}
