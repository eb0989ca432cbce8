import type { BoilerRegisters } from "../boiler-registers.ts";
import { readUnsigned, toHouseDate, type HouseDate } from "../codecs.ts";
import type { TimerPrograms } from "../devices/timer-programs.ts";
import type { RegisterImage, RegisterKey } from "../register-image.ts";
import { createEnergyMeters, type EnergyMeters } from "./energy-meters.ts";
import { stepPlant } from "./plant.ts";
import type { PlantState } from "./plant-state.ts";
import { publishBoiler, publishClock, publishController } from "./publish.ts";
import { createRegulator } from "./regulator.ts";
import { createWeather } from "./weather.ts";

const STEP_MS = 10_000;
/** A house that nobody looked at for longer than this wakes up as if that long had passed. */
const LONGEST_SLEEP_MS = 86_400_000;

export interface Climate {
  /** Brings everything up to the present; the registers show it afterwards. */
  settle(): void;
  written(key: RegisterKey): void;
  readonly state: Readonly<PlantState>;
  readonly meters: EnergyMeters;
  /** The controller's calendar. */
  today(): HouseDate;
}

/** Weather, rooms, boiler and cylinder, in steps of ten seconds, worked out when somebody looks. */
export function createClimate({
  now,
  frozen,
  image,
  boiler,
  programs,
  boilerError,
}: {
  /** Local time of the house, epoch milliseconds. */
  now: () => number;
  /** Registers stay as captured. */
  frozen: boolean;
  image: RegisterImage;
  boiler: BoilerRegisters;
  programs: TimerPrograms;
  boilerError: () => number | null;
}): Climate {
  const state = stateFrom(image, boiler);
  let reached = now();
  const weather = createWeather({ startAt: reached, startC: state.outdoorC });
  const regulator = createRegulator({ image, programs });
  const meters = createEnergyMeters({ image, today: toHouseDate(reached) });

  function step(): void {
    reached += STEP_MS;
    regulator.decide(state, reached);
    stepPlant({ state, at: reached, seconds: STEP_MS / 1_000, weather, meters, locked: boilerError() !== null });
    meters.turnTo(toHouseDate(reached));
  }

  return {
    settle() {
      if (frozen) return;
      const present = now();
      reached = Math.max(reached, present - LONGEST_SLEEP_MS);
      const before = reached;
      while (reached + STEP_MS <= present) step();
      publishClock(image, toHouseDate(present));
      if (reached === before) return; // the captured values stay until something has happened
      publishController(image, state);
      publishBoiler(boiler, state);
      meters.publish();
    },
    written: (key) => regulator.written(key, now()),
    state,
    meters,
    today: () => (frozen ? captureDate(image) : toHouseDate(now())),
  };
}

function stateFrom(image: RegisterImage, boiler: BoilerRegisters): PlantState {
  const at = (key: RegisterKey, otherwise: number): number => image.number(key) ?? otherwise;
  const whole = (address: string): number => readUnsigned(boiler.get(address) ?? []);
  return {
    outdoorC: at("02/00/00/73", 10),
    outdoorAverageC: at("02/00/00/95", 8),
    zones: [0, 1].map((index) => ({
      roomC: at(`02/03/0${index}/0F`, 18),
      setpointC: at(`02/03/0${index}/22`, 20),
      heated: false,
      circuitFlowC: at(`02/02/0${index}/08`, 20),
      circuitTargetC: 0,
    })),
    flowC: readUnsigned((boiler.get("1800") ?? []).slice(0, 2)) / 16,
    returnC: 30,
    flowTargetC: 0,
    cylinderC: at("02/01/00/05", 50),
    charging: false,
    drawLitresPerMinute: 0,
    burner: "standby",
    modulation: 0,
    pumpOn: true,
    pumpRunsOnSeconds: 120,
    pressureBar: at("02/00/00/39", 1.5),
    collectorC: at("02/04/00/03", 20),
    heatingSeconds: whole("2800") * 7_200,
    hotWaterSeconds: whole("2200") * 7_200,
    pumpSeconds: whole("1400") * 7_200,
    heatingStarts: whole("2900"),
    hotWaterStarts: whole("2300"),
  };
}

/** The day on which the registers stand still. */
function captureDate(image: RegisterImage): HouseDate {
  const [day = 1, month = 1, year = 0] = image.get("02/00/00/34")?.value ?? [];
  const [hour = 0, minute = 0, second = 0] = image.get("02/00/00/35")?.value ?? [];
  return toHouseDate(Date.UTC(2000 + year, month - 1, day, hour, minute, second));
}
