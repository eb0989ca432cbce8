import { AsyncLocalStorage } from "node:async_hooks";
import { outsideValue } from "../coerce/outside-value.ts";
import { SlotInfo } from "../info/node-info.ts";
import { normaliseChildren } from "../instance/child-value.ts";
import { nodeOf } from "../instance/held.ts";
import type { Node } from "../instance/node.ts";
import { checkedValue, isSame, slotValue } from "../instance/slot-access.ts";
import { slotNamed } from "../instance/subject-base.ts";
import { subjectError } from "../subject-error.ts";
import { commitWrites, type CommitDeps, type PendingWrite } from "./commit-writes.ts";
import type { Transaction, TransactionOptions } from "./transaction.ts";
import { checkWhole } from "./whole-state.ts";
import { valueAt } from "../instance/stored-value.ts";

export interface Transactions {
  run<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T> | T): Promise<T>;
}

/** Groups writes: nobody sees them before all of them are accepted. */
export function createTransactions(deps: CommitDeps): Transactions {
  const { engine } = deps;
  // Only to notice a transaction inside another, which would otherwise wait for itself or lose the outer one's writes.
  const inside = new AsyncLocalStorage<true>();
  let lastExclusive: Promise<void> = Promise.resolve();

  async function run<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    const pending = new Map<Node, Map<number, PendingWrite>>();
    const touched = new Map<Node, Set<number>>();
    const conflicts = new Set<string>();
    let isOpen = true;

    const stopWatching = engine.addKeeper({
      keep(node, slot) {
        if (touched.get(node)?.has(slot) === true)
          conflicts.add(`${node.layout.type.name}.${node.layout.slot(slot).name}`);
      },
    });

    function touch(node: Node, slot: number): void {
      if (!isOpen) throw subjectError("TRANSACTION_STATE", "This transaction is over.");
      if (node.core !== engine) throw subjectError("PATH_NOT_FOUND", `This ${node.layout.type.name} is not attached.`);
      const slots = touched.get(node);
      if (slots === undefined) touched.set(node, new Set([slot]));
      else slots.add(slot);
    }

    const tx: Transaction = {
      set(subject, property, given) {
        const node = nodeOf(subject);
        const slot = slotNamed(node, property);
        touch(node, slot);
        const value = accepted(deps, node, slot, given, options.outside === true);
        const writes = pending.get(node) ?? new Map<number, PendingWrite>();
        pending.set(node, writes.set(slot, { node, slot, value }));
      },
      get(subject, property) {
        const node = nodeOf(subject);
        const slot = slotNamed(node, property);
        touch(node, slot);
        const waiting = pending.get(node)?.get(slot);
        return waiting === undefined ? slotValue(node, slot) : waiting.value;
      },
    };

    try {
      const result = await inside.run(true, () => work(tx));
      isOpen = false;
      stopWatching();
      if (conflicts.size > 0 && options.conflict !== "ignore") {
        const names = [...conflicts].sort();
        throw subjectError(
          "CONFLICT",
          `Somebody else wrote to ${names.join(", ")} in the meantime; nothing was changed.`,
          {
            details: { properties: names, state: "failed-retryable" },
          },
        );
      }
      const writes = [...pending.values()].flatMap((each) => [...each.values()]);
      const real = writes.filter(
        // A device is told what the model already says: the model may be behind it, and only the device knows.
        ({ node, slot, value }) =>
          node.core === engine &&
          (deps.outside.hostOf(node, slot)?.writes === "door" ||
            !isSame(node.layout.slot(slot), valueAt(node, slot), value)),
      );
      for (const [node, each] of pending)
        checkWhole(node, new Map([...each].map(([slot, { value }]) => [slot, value])));
      await commitWrites(deps, real, options);
      return result;
    } finally {
      isOpen = false;
      stopWatching();
    }
  }

  return {
    async run(options, work) {
      if (inside.getStore() === true)
        throw subjectError("TRANSACTION_STATE", "A transaction cannot be opened inside another.");
      if (options.locking !== "exclusive") return run(options, work);
      const before = lastExclusive;
      let done = (): void => {};
      lastExclusive = new Promise((resolve) => {
        done = resolve;
      });
      await before;
      try {
        return await run(options, work);
      } finally {
        done();
      }
    },
  };
}

/** The value as it would be stored. Refused at once, not at the end. */
function accepted({ engine }: CommitDeps, node: Node, slot: number, given: unknown, isOutside: boolean): unknown {
  const declared = node.layout.slot(slot);
  const info = new SlotInfo(engine.reading, node, slot);
  if (declared.get !== undefined)
    throw subjectError("PROPERTY_NOT_WRITABLE", `${declared.name} of ${node.layout.type.name} is computed.`);
  if (isOutside && !info.isWritable)
    throw subjectError(
      "PROPERTY_NOT_WRITABLE",
      `${declared.name} of ${node.layout.type.name} cannot be written from outside.`,
    );
  if (declared.shape !== undefined) {
    const children = normaliseChildren(node, declared, given, node.values[slot]);
    engine.lifecycle.check(children);
    return children;
  }
  return isOutside ? outsideValue(info, given) : checkedValue(node, declared, given);
}
