import type { Cancel } from "@steading/kernel";
import { subjectError } from "../subject-error.ts";
import { STAGES_OF_WRITE, type Extension, type StagePlace, type WriteInProgress, type WriteStage } from "./stage.ts";

/** Extensions of the write, by place. */
export interface Pipeline {
  /** Nobody extended anything: writes need not ask. */
  readonly isPlain: boolean;
  extend(place: StagePlace, extension: Extension): Cancel;
  /** Runs what was registered around a stage. */
  run(at: WriteStage, when: "before" | "after", write: WriteInProgress): void;
}

interface Registered {
  readonly extension: Extension;
  readonly priority: number;
}

export function createPipeline(changed: (isPlain: boolean) => void): Pipeline {
  const places = new Map<string, readonly Registered[]>();
  let count = 0;

  function put(place: string, registered: readonly Registered[], by: number): void {
    places.set(place, registered);
    const was = count;
    count += by;
    if ((was === 0) !== (count === 0)) changed(count === 0);
  }

  return {
    get isPlain() {
      return count === 0;
    },
    extend({ at, when, priority = 0 }, extension) {
      if (!STAGES_OF_WRITE.includes(at) || (when !== "before" && when !== "after"))
        throw subjectError(
          "VALIDATION_FAILED",
          `There is no place ${String(when)} ${String(at)} in a write; the stages are ${STAGES_OF_WRITE.join(", ")}.`,
        );
      const place = `${when} ${at}`;
      const one: Registered = { extension, priority };
      const sorted = [...(places.get(place) ?? []), one].sort((a, b) => a.priority - b.priority);
      put(place, sorted, 1);
      return () => {
        const present = places.get(place) ?? [];
        if (present.includes(one))
          put(
            place,
            present.filter((each) => each !== one),
            -1,
          );
      };
    },
    run(at, when, write) {
      for (const { extension } of places.get(`${when} ${at}`) ?? []) extension(write);
    },
  };
}
