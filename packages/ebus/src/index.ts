export { EBUS_ERRORS, ebusError } from "./ebus-errors.ts";
export { createDecoder, type Broken, type Decoder, type Heard } from "./wire/decoder.ts";
export { encodeCommand, encodeResponse } from "./wire/encode.ts";
export type { Command, Telegram, TelegramKind } from "./wire/telegram.ts";
export { infoIdsFor, readAdapterInfo, type AdapterInfo, type JumperFlag } from "./adapters/adapter-info.ts";
export { createEnhDecoder, encodeEnh, type EnhDecoder, type EnhEvent, type EnhRequest } from "./adapters/enh-codec.ts";
export { ebusdHexCommand, readEbusdReply, type EbusdFailure, type EbusdReply } from "./adapters/ebusd-text.ts";
export { readAdapterAddress, type AdapterAddress, type TransportClass } from "./adapters/adapter-address.ts";
export { createAdapterDial } from "./adapters/dial-adapter.ts";
export type { Dial, Link } from "./adapters/link.ts";
export { createBus, type BusDeps, type BusRead, type EbusBus } from "./bus/create-bus.ts";
export type { AdapterReport } from "./bus/adapter-watch.ts";
export type { BusCounters, BusState, BusTelegram, SourceState } from "./bus/bus-events.ts";
export { isOutage } from "./bus/outage.ts";
export type { ActiveOutcome, ExchangeReason, ExchangeResult } from "./bus/exchange-result.ts";
export {
  readGrabbedLine,
  readInfoLine,
  readScannedLine,
  type GrabbedMessage,
  type KnownAddress,
  type ScannedDevice,
} from "./adapters/ebusd-lines.ts";
export { createBusReader, type BusReader } from "./bus/bus-reader.ts";
export type { BusWrite, Telegraph } from "./bus/write-effect.ts";
export { allTargets, scan, type FoundDevice, type ScanReport } from "./registry/scan.ts";
export { createDeviceBook, type DeviceBook, type KnownDevice } from "./registry/device-book.ts";
export { readIdentification, readSerialNumber, type Identification } from "./registry/identification.ts";
export { readRegisterValue, type RegisterPlace, type RegisterType } from "./vaillant/register-value.ts";
export { createEbus, type EbusDeps } from "./create-ebus.ts";
export { createEbusPart, type EbusPart, type EbusPartDeps, type ScanReach } from "./ebus-part.ts";
export type { HeatingView } from "./graph/heating-view.ts";
export {
  createCaptureWriter,
  createReplay,
  type CaptureWriter,
  type Replay,
  type ReplaySummary,
} from "./observe/capture.ts";
export { telegramJson, telegramLine } from "./observe/telegram-line.ts";
