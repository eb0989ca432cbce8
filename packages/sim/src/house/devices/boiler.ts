import type { BoilerRegisters } from "../boiler-registers.ts";
import { d1c, d2b, readUnsigned, u16 } from "../codecs.ts";
import { BOILER_STATUS_00, BOILER_STATUS_02, BOILER_STATUS_CAPTURED, BOILER_WRITABLE } from "../data/boiler.data.ts";
import { BAI00, HEAT_PUMP_REGISTERS, HMU00 } from "../data/modules.data.ts";
import type { Answer, Device } from "../device.ts";
import type { Telegram } from "../exchange.ts";
import { fromHex, toHex } from "../hex.ts";
import type { Climate } from "../physics/climate.ts";
import type { HouseSettings } from "../settings.ts";
import { answerHeatPumpExtended } from "./heat-pump.ts";
import { answerIdentification } from "./identification.ts";

const UNSUPPORTED: Answer = [0x00];
const EMPTY_ERROR = 0xffff;
const PAST_ERRORS: readonly number[] = [281];

/** What sits at 08: the ecoTEC boiler, or a heat pump that uses the same numbers for other things. */
export function createBoiler({
  registers,
  climate,
  settings,
  frozen,
}: {
  registers: BoilerRegisters;
  climate: Climate;
  settings: () => HouseSettings;
  frozen: boolean;
}): Device {
  const heatPump = (): boolean => settings().heatSource === "heat-pump";

  function answerRegister([operation, high = 0, low = 0, ...value]: readonly number[]): Answer {
    const address = toHex([high, low]).replace(" ", "");
    if (heatPump()) {
      const known = HEAT_PUMP_REGISTERS[address];
      return operation === 0x0d && known !== undefined ? [...fromHex(known)] : UNSUPPORTED;
    }
    if (operation === 0x0d) return registers.get(address) ?? UNSUPPORTED;
    const limits = operation === 0x0e ? BOILER_WRITABLE[address] : undefined;
    if (limits === undefined || value.length !== limits.width) return UNSUPPORTED;
    const number = readUnsigned(value);
    if (number >= limits.min && number <= limits.max) registers.put(address, value);
    return [];
  }

  function answerStatus([form]: readonly number[]): Answer {
    if (form === 0x00) return [...fromHex(BOILER_STATUS_00)];
    if (form === 0x02) return [...fromHex(BOILER_STATUS_02)];
    if (form !== 0x01) return "unknown";
    if (frozen) return [...fromHex(BOILER_STATUS_CAPTURED)];
    const { flowC, returnC, cylinderC, pumpOn } = climate.state;
    return [...d1c(flowC), ...d1c(returnC), ...d2b(null), 0xff, ...d1c(cylinderC), pumpOn ? 1 : 0, 0x00, 0xff];
  }

  function answerErrors([list, kind]: readonly number[]): Answer {
    if ((list !== 0x00 && list !== 0x01) || (kind !== 0x01 && kind !== 0x02)) return "unknown";
    const active = settings().boilerError;
    const errors = kind === 0x02 ? [] : list === 0x01 ? PAST_ERRORS : active === null ? [] : [active];
    return Array.from({ length: 5 }, (_, index) => u16(errors[index] ?? EMPTY_ERROR)).flat();
  }

  function answerOperationalData([operation]: readonly number[]): Answer {
    const { flowC, returnC, pumpOn, cylinderC } = climate.state;
    // No radio clock and no outdoor sensor of its own.
    if (operation === 0x00) return [...Array.from({ length: 8 }, () => 0xff), ...d2b(null)];
    if (operation === 0x09) return [...d2b(cylinderC), ...d2b(readUnsigned(registers.get("EA03") ?? []) / 16), 0x00];
    if (operation === 0x0d) return [...d2b(flowC), ...d2b(returnC), pumpOn ? 1 : 0];
    return "unknown";
  }

  function answerVaillant(telegram: Telegram): Answer {
    const { secondary, data } = telegram;
    if (secondary === 0x09 && data.length >= 3) return answerRegister(data);
    if (heatPump()) return secondary === 0x24 ? answerHeatPumpExtended(data) : "unknown";
    switch (secondary) {
      case 0x03:
        return answerErrors(data);
      case 0x04:
        return answerOperationalData(data);
      case 0x10:
        return [0x01];
      case 0x11:
        return answerStatus(data);
      case 0x12:
        if (data[0] === 0x00 && data.length === 2) registers.put("7B00", data[1] === 0 ? [0xf0] : [0x0f]);
        return [];
      case 0x16: {
        // Boilers know the question and have nothing to tell.
        const [form, period = 0, , , fuel = 0, use = 0, low = 0, high = 0] = data;
        return form === 0x10 ? [period, 0x00, 0xff, fuel, use, low, high, 0, 0, 0, 0] : "unknown";
      }
      default:
        return "unknown";
    }
  }

  return {
    name: "BAI00",
    targets: () => [0x08],
    initiators: [0x03],
    answer(telegram) {
      climate.settle();
      const identification = answerIdentification(heatPump() ? HMU00 : BAI00, telegram);
      if (identification !== "unknown") return identification;
      return telegram.primary === 0xb5 ? answerVaillant(telegram) : "unknown";
    },
  };
}
