export { FARM_ERRORS } from "./farm-errors.ts";
export type { Framing } from "./modbus/framing.ts";
export { createLine, type Line, type LineCounters, type LineDeps, type LineExchange } from "./modbus/line.ts";
export { createMbapFraming } from "./modbus/mbap-framing.ts";
export type { ModbusReply, ModbusRequest, ReadFunction } from "./modbus/modbus-request.ts";
export { createRtuFraming } from "./modbus/rtu-framing.ts";
export { createTcpDial } from "./modbus/tcp-dial.ts";
export type { Dial, Wire } from "./modbus/wire.ts";
