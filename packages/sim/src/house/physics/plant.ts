import { toHouseDate } from "../codecs.ts";
import { HOT_WATER_DRAWS } from "../data/draws.data.ts";
import type { EnergyMeters } from "./energy-meters.ts";
import type { PlantState } from "./plant-state.ts";
import type { Weather } from "./weather.ts";

// Kilowatt, kilojoule, kelvin, seconds.
const BOILER_KW = 24;
const LEAST_MODULATION = 0.15;
const EFFICIENCY = 0.95;
const BOILER_KJ_PER_K = 50;
const RADIATOR_KW_PER_K = 0.25;
const COIL_KW_PER_K = 0.8;
const CASING_KW_PER_K = 0.01;
const WATER_KJ_PER_KG_K = 4.186;
const PUMP_KG_PER_S = 0.3;
const ZONE_LOSS_KW_PER_K = 0.12;
/** Thirty hours to lose all but a third of the warmth. */
const ZONE_KJ_PER_K = ZONE_LOSS_KW_PER_K * 30 * 3_600;
const CYLINDER_KJ_PER_K = 200 * WATER_KJ_PER_KG_K;
const CYLINDER_LOSS_KW_PER_K = 0.003;
const COLD_WATER_C = 10;
const PUMP_OVERRUN_S = 300;
const PUMP_KW = 0.045;

/** Moves the state on by that many seconds; short ones, for the boiler's water warms up in a minute. */
export function stepPlant({
  state,
  at,
  seconds,
  weather,
  meters,
  locked,
}: {
  state: PlantState;
  at: number;
  seconds: number;
  weather: Weather;
  meters: EnergyMeters;
  /** The boiler reports an error and does not burn. */
  locked: boolean;
}): void {
  state.outdoorC = weather.outdoorC(at);
  state.outdoorAverageC += ((state.outdoorC - state.outdoorAverageC) * seconds) / 86_400;
  state.collectorC += ((state.outdoorC + weather.sun(at) * 45 - state.collectorC) * seconds) / 3_600;
  stepBurner(state, locked);
  const powerKw = state.burner === "burning" ? state.modulation * BOILER_KW : 0;
  const drawnKw = stepCircuits(state, seconds) + stepCylinder(state, at, seconds);
  const lostKw = CASING_KW_PER_K * (state.flowC - 20);
  state.flowC += ((powerKw - drawnKw - lostKw) * seconds) / BOILER_KJ_PER_K;
  state.returnC = state.flowC - drawnKw / (PUMP_KG_PER_S * WATER_KJ_PER_KG_K);
  state.pressureBar = 1.5 + (state.flowC - 35) * 0.004;
  stepPump(state, seconds);
  const hours = seconds / 3_600;
  meters.add(state.charging ? "gasHotWater" : "gasHeating", (powerKw / EFFICIENCY) * 1_000 * hours);
  if (state.pumpOn) {
    meters.add(state.charging ? "electricityHotWater" : "electricityHeating", PUMP_KW * 1_000 * hours);
  }
  if (state.burner === "burning" && state.charging) state.hotWaterSeconds += seconds;
  else if (state.burner === "burning") state.heatingSeconds += seconds;
}

function stepBurner(state: PlantState, locked: boolean): void {
  const missingK = state.flowTargetC - state.flowC;
  const wanted = !locked && state.flowTargetC > 0;
  switch (state.burner) {
    case "standby":
    case "clearing":
      state.burner = wanted && missingK > 3 ? "purging" : "standby";
      break;
    case "purging":
      state.burner = wanted ? "igniting" : "clearing";
      break;
    case "igniting":
      state.burner = wanted ? "burning" : "clearing";
      if (wanted && state.charging) state.hotWaterStarts += 1;
      else if (wanted) state.heatingStarts += 1;
      break;
    case "burning":
      if (!wanted || missingK < -5) state.burner = "clearing";
      break;
  }
  const modulation = Math.min(1, Math.max(LEAST_MODULATION, 0.3 + missingK * 0.08));
  state.modulation = state.burner === "burning" ? modulation : 0;
}

function stepCircuits(state: PlantState, seconds: number): number {
  let drawnKw = 0;
  for (const zone of state.zones) {
    const radiatorKw = zone.heated ? RADIATOR_KW_PER_K * (zone.circuitFlowC - zone.roomC) : 0;
    if (zone.heated) drawnKw += RADIATOR_KW_PER_K * (state.flowC - zone.roomC);
    const towards = zone.heated ? state.flowC : zone.roomC;
    zone.circuitFlowC += (towards - zone.circuitFlowC) * Math.min(1, seconds / (zone.heated ? 60 : 1_800));
    const lostKw = ZONE_LOSS_KW_PER_K * (zone.roomC - state.outdoorC);
    zone.roomC += ((radiatorKw - lostKw) * seconds) / ZONE_KJ_PER_K;
  }
  return drawnKw;
}

function stepCylinder(state: PlantState, at: number, seconds: number): number {
  const chargedKw = state.charging ? Math.max(0, COIL_KW_PER_K * (state.flowC - state.cylinderC)) : 0;
  state.drawLitresPerMinute = drawAt(at);
  const tappedKw = (state.drawLitresPerMinute / 60) * WATER_KJ_PER_KG_K * (state.cylinderC - COLD_WATER_C);
  const lostKw = CYLINDER_LOSS_KW_PER_K * (state.cylinderC - 20);
  state.cylinderC += ((chargedKw - tappedKw - lostKw) * seconds) / CYLINDER_KJ_PER_K;
  return chargedKw;
}

function stepPump(state: PlantState, seconds: number): void {
  const needed = state.flowTargetC > 0;
  state.pumpRunsOnSeconds = needed ? PUMP_OVERRUN_S : Math.max(0, state.pumpRunsOnSeconds - seconds);
  state.pumpOn = needed || state.pumpRunsOnSeconds > 0;
  if (state.pumpOn) state.pumpSeconds += seconds;
}

/** Somebody washes, cooks or showers; a little later or earlier each day. */
function drawAt(at: number): number {
  const { hour, minute, day } = toHouseDate(at);
  const now = hour * 60 + minute;
  const shift = ((day * 7) % 13) - 6;
  const running = HOT_WATER_DRAWS.find(({ from, minutes }) => now >= from + shift && now < from + shift + minutes);
  return running?.litresPerMinute ?? 0;
}
