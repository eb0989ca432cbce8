export { ledgerContract, type LedgerContractOptions } from "./ledger-contract.ts";
export { createMortalLedger } from "./mortal-ledger.ts";
export { createTrialDoor, createTrialLog, trialCaller, type LoggedLine, type TrialDoor } from "./trial-door.ts";
export { createTrialRelay, type RelayMood, type TrialRelay } from "./trial-relay.ts";
