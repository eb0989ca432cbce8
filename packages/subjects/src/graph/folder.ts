import { c } from "../define/c.ts";
import { defineSubject } from "../define/define-subject.ts";

/** A place for other subjects, found by their keys. It has no properties of its own, so that any key is free. */
export const Folder = defineSubject("steading.Folder", {
  description: "A place for other subjects",
  children: { children: c.map(undefined, { inline: true }) },
  icon: "folder",
});
