import { errorsFrom, type ErrorTable } from "@steading/kernel";

/** Every code that the farm throws. The statuses that HTTP and the farm's tools show for them are in `farm-status.ts`. */
export const FARM_ERRORS = {
  BAD_INPUT: { retryable: false },
  EQUIPMENT_UNKNOWN: { retryable: false },
  ZONE_UNKNOWN: { retryable: false },
  AUTOMATION_UNKNOWN: { retryable: false },
  ALERT_UNKNOWN: { retryable: false },
  ERROR_UNKNOWN: { retryable: false },
  TEMPLATE_UNKNOWN: { retryable: false },
  USER_UNKNOWN: { retryable: false },
  TEMPLATE_IS_SYSTEM: { retryable: false, hint: "Make one of your own and change that." },
  UNIT_IS_REGISTERED: { retryable: false, hint: "Use the equipment's own calls, or send force: true." },
  CHANNEL_UNKNOWN: { retryable: false },
  LINK_UNKNOWN: { retryable: false },
  ALREADY_LINKED: { retryable: false },
  ALREADY_ACKNOWLEDGED: { retryable: false },
  CHANNEL_IS_ON: { retryable: false, hint: "Switch it off first, or send force=1." },
  EQUIPMENT_DISABLED: { retryable: false, hint: "Enable the equipment first." },
  NOT_SWITCHABLE: { retryable: false },
  NOT_AVAILABLE: { retryable: false },
  DEVICE_TIMEOUT: { retryable: true, hint: "Check that the unit has power and that its unit id is right." },
  DEVICE_EXCEPTION: { retryable: true, hint: "Check the register mappings against the device's manual." },
  DEVICE_GARBLED: { retryable: true, hint: "Check the wiring, the termination and the line settings of the bus." },
  DEVICE_UNCONFIRMED: { retryable: true, hint: "Look at the device: its relay does not read back as switched." },
  GATEWAY_DOWN: { retryable: true, hint: "Check that the gateway has power and that its address is right." },
  BUS_BUSY: { retryable: true, hint: "Wait until the bus has worked off what is waiting." },
  CANCELLED: { retryable: true },
} as const satisfies ErrorTable;

export const farmError = errorsFrom(FARM_ERRORS);
