import { bda, bti, d2b } from "../codecs.ts";
import { BASV2, VRC700 } from "../data/modules.data.ts";
import type { Answer, Device } from "../device.ts";
import type { HouseClock } from "../clock.ts";
import type { Telegram } from "../exchange.ts";
import type { ArmedFaults } from "../faults.ts";
import type { Climate } from "../physics/climate.ts";
import type { RegisterImage } from "../register-image.ts";
import type { HouseSettings } from "../settings.ts";
import { answerEnergy } from "./energy.ts";
import { createExtendedRegisters } from "./extended-registers.ts";
import { answerIdentification } from "./identification.ts";
import type { TimerPrograms } from "./timer-programs.ts";
import { createTimers } from "./timers.ts";

/** The regulator at 15, also at EC: a BASV2, or by knob a VRC700. */
export function createController({
  clock,
  image,
  programs,
  climate,
  faults,
  settings,
}: {
  clock: HouseClock;
  image: RegisterImage;
  programs: TimerPrograms;
  climate: Climate;
  faults: ArmedFaults;
  settings: () => HouseSettings;
}): Device {
  const isVrc700 = (): boolean => settings().regulator === "VRC700";
  const registers = createExtendedRegisters({ image, faults, isVrc700, onWrite: climate.written });
  const timers = createTimers({ clock, programs, image, faults });

  function answerOperationalData([operation]: readonly number[]): Answer {
    const { outdoorC, zones } = climate.state;
    const now = climate.today();
    if (operation === 0x00) return [0x01, ...bti(now), ...bda(now), ...d2b(outdoorC)];
    const [zone] = zones;
    if (operation !== 0x0d || zone === undefined) return "unknown";
    return [...d2b(zone.roomC), ...d2b(zone.setpointC), image.number("02/03/00/06") ?? 0];
  }

  function answerVaillant({ secondary, data }: Telegram): Answer {
    switch (secondary) {
      case 0x04:
        return answerOperationalData(data);
      case 0x16:
        return answerEnergy(data, climate.meters, climate.today());
      case 0x24:
        return registers.answer(data);
      case 0x55:
        return isVrc700() ? "unknown" : timers.answer(data);
      default:
        return "unknown";
    }
  }

  return {
    name: "BASV2",
    targets: () => [0x15, 0xec],
    initiators: [0x10],
    answer(telegram) {
      climate.settle();
      image.putNumber("02/00/00/2F", settings().fm5Config);
      const identification = answerIdentification(isVrc700() ? VRC700 : BASV2, telegram);
      if (identification !== "unknown") return identification;
      return telegram.primary === 0xb5 ? answerVaillant(telegram) : "unknown";
    },
  };
}
