export { openStore, type Store, type StoreCounters, type StoreDeps } from "./store.ts";
export { STORE_LIMITS, type StoreLimits } from "./store-limits.ts";
export { STORE_ERRORS, type StoreErrorCode } from "./store-errors.ts";
export type { LedgerCounters } from "./ledger/ledger-counters.ts";
