import { readdirSync, readFileSync } from "node:fs";
import { createManualClock } from "@steading/kernel";
import { describe, expect, test } from "vitest";
import { openTestStore, temporaryDirectory } from "../test-directory.fixture.ts";

/** The nice value of every thread of this process, the main one first. */
function priorities(): number[] {
  const tasks = readdirSync("/proc/self/task").sort((a, b) => Number(a) - Number(b));
  return tasks.flatMap((task) => {
    try {
      // Behind the name, which may hold anything but ends with the last bracket, it is the 17th field.
      const fields = readFileSync(`/proc/self/task/${task}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return [Number(fields[16])];
    } catch {
      return []; // gone between the two looks
    }
  });
}

describe.skipIf(process.platform !== "linux")("priorities", () => {
  // @proves store.threads.scans-elsewhere
  test("the thread that scans stands behind the ones that are waited for, and only that thread", async () => {
    const clock = createManualClock();
    const store = await openTestStore(temporaryDirectory(), { clock });
    await store.history.append([{ path: "/a", at: clock.now(), value: 1, quality: "good" }]);
    const [main = 0] = priorities();
    const behind = (): number => priorities().filter((each) => each > main).length;
    const before = behind();
    await store.history.range({ path: "/a", from: 0, to: clock.now() + 1 });
    expect(behind()).toBe(before + 1);
    expect(priorities()[0]).toBe(main);
    await store.close();
    expect(behind()).toBe(before);
  });
});
