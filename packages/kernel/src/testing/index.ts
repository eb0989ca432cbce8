export { ledgerContract, type LedgerContractOptions } from "./ledger-contract.ts";
