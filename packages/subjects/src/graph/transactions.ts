import type { Clock } from "@steading/kernel";
import type { Engine } from "./engine.ts";
import type { Transaction, TransactionOptions } from "./transaction.ts";
import type { OutsideDeps } from "./write-outside.ts";
export interface Transactions { run<T>(options: TransactionOptions, work: (tx: Transaction) => Promise<T> | T): Promise<T> }
export function createTransactions(_: { engine: Engine; clock: Clock; outside: OutsideDeps }): Transactions { return { run() { throw new Error("pending") } } }
