export type { ChildrenHandle, Subject } from "../info/subject-info.ts";
