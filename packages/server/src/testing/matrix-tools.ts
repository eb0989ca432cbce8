import { SteadingError } from "@steading/kernel";
import type { HandDispatcher } from "./hand-dispatcher.ts";
import type { HandResources } from "./hand-resources.ts";

/** Tools that let any client drive a whole conversation from its own end, also when the hub is another process. */
export function addMatrixTools({
  dispatcher,
  resources,
}: {
  readonly dispatcher: HandDispatcher;
  readonly resources: HandResources;
}): void {
  const releases: (() => void)[] = [];
  let stopped = 0;
  let grown = 0;
  resources.put("test://doc/1", "one");
  dispatcher.add(
    {
      name: "touch",
      intent: "MUTATE",
      run() {
        resources.put("test://doc/1", "touched");
        return { touched: true };
      },
    },
    {
      name: "grow",
      intent: "MUTATE",
      run() {
        dispatcher.add({ name: `grown.${++grown}`, run: () => ({}) });
        return { grown: true };
      },
    },
    {
      name: "stepwise",
      run: (_, { progress }) =>
        new Promise((resolve) => {
          releases.push(() => resolve({ done: true }));
          progress(1, 2, "half");
        }),
    },
    {
      name: "release",
      intent: "MUTATE",
      run() {
        releases.splice(0).forEach((release) => release());
        return { released: true };
      },
    },
    {
      name: "endless",
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener(
            "abort",
            () => {
              stopped++;
              reject(new SteadingError("CANCELLED", "Stopped."));
            },
            { once: true },
          );
        }),
    },
    { name: "stopped", run: () => ({ stopped }) },
  );
}
