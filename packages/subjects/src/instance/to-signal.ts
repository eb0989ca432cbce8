import type { Cancel } from "@steading/kernel";
import type { Subject } from "./subject.ts";

/** A property in the shape that user-interface libraries know. */
export interface PropertySignal<T> {
  value: T;
  peek(): T;
  /** Called at once with the present value, and again after each change. */
  subscribe(listener: (value: T) => void): Cancel;
}

/** Follows one property of a subject. */
export function toSignal<S extends Subject, K extends keyof S & string>(subject: S, property: K): PropertySignal<S[K]> {
  return {
    get value() {
      return subject[property];
    },
    set value(value) {
      subject.$set(property, value);
    },
    peek: () => subject[property],
    subscribe(listener) {
      listener(subject[property]);
      return subject.$on(property, (value) => listener(value as S[K]));
    },
  };
}
