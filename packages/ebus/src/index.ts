export { EBUS_ERRORS, ebusError } from "./ebus-errors.ts";
export { createDecoder, type Broken, type Decoder, type Heard } from "./wire/decoder.ts";
export { encodeCommand, encodeResponse } from "./wire/encode.ts";
export type { Command, Telegram, TelegramKind } from "./wire/telegram.ts";
export { infoIdsFor, readAdapterInfo, type AdapterInfo, type JumperFlag } from "./adapters/adapter-info.ts";
export { createEnhDecoder, encodeEnh, type EnhDecoder, type EnhEvent, type EnhRequest } from "./adapters/enh-codec.ts";
export { ebusdHexCommand, readEbusdReply, type EbusdFailure, type EbusdReply } from "./adapters/ebusd-text.ts";
