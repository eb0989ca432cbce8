import type { Subject } from "../instance/subject.ts";
import type { Child, ChildOptions, ChildShape } from "./child.ts";
import type { AnySubjectType, Infer } from "./subject-type.ts";
interface OfShape<Shape extends ChildShape> {
  <T extends AnySubjectType>(of: () => T, options?: ChildOptions): Child<Shape, Infer<T>>;
  (of?: undefined, options?: ChildOptions): Child<Shape, Subject>;
}
export interface ChildBuilders {
  readonly one: OfShape<"one">;
  readonly list: OfShape<"list">;
  readonly map: OfShape<"map">;
}
export declare const c: ChildBuilders;
