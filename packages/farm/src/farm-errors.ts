import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** Every code that the farm throws. The statuses that HTTP and the farm's tools show for them are in `farm-status.ts`. */
export const FARM_ERRORS = {
  BAD_INPUT: { retryable: false },
  DEVICE_TIMEOUT: { retryable: true, hint: "Check that the unit has power and that its unit id is right." },
  DEVICE_EXCEPTION: { retryable: true, hint: "Check the register mappings against the device's manual." },
  DEVICE_GARBLED: { retryable: true, hint: "Check the wiring, the termination and the line settings of the bus." },
  GATEWAY_DOWN: { retryable: true, hint: "Check that the gateway has power and that its address is right." },
  BUS_BUSY: { retryable: true, hint: "Wait until the bus has worked off what is waiting." },
  CANCELLED: { retryable: true },
} as const satisfies ErrorTable;

export const farmError = errorsFrom(FARM_ERRORS);
