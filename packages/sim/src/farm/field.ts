const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** A motor valve is fully open, or shut, after this long. */
const VALVE_MS = 8_000;
const LITRES_PER_MINUTE = 20;
const LONGEST_STEP_MS = 60_000;

/** What the relays of the farm drive. */
export interface Actuators {
  readonly pump: boolean;
  readonly valveNorth: boolean;
  readonly valveSouth: boolean;
  readonly doser: boolean;
  readonly fan: boolean;
  readonly heater: boolean;
}

export interface FieldState {
  readonly outdoorC: number;
  readonly airC: number;
  readonly humidity: number;
  readonly moistureNorth: number;
  readonly moistureSouth: number;
  readonly soilC: number;
  readonly ph: number;
  /** mS/cm of the nutrient solution. */
  readonly ec: number;
  readonly flowLitresPerMinute: number;
  readonly litres: number;
}

export interface Field {
  /** Carries the weather, the water and the plants on to this moment. */
  advance(now: number): void;
  readonly state: FieldState;
}

/**
 * Two beds, a greenhouse and a nutrient tank. Coarse and plausible: water that runs makes a bed wetter, sun and wind dry
 * it, a fan draws the greenhouse towards the weather, a heater away from it, a doser salts and sours the solution.
 */
export function createField({
  now: start,
  actuators,
}: {
  readonly now: number;
  readonly actuators: () => Actuators;
}): Field {
  let at = start;
  let opening = { north: 0, south: 0 };
  let state: FieldState = {
    outdoorC: outdoor(start),
    airC: 21,
    humidity: 58,
    moistureNorth: 31,
    moistureSouth: 27,
    soilC: 16,
    ph: 6.2,
    ec: 1.8,
    flowLitresPerMinute: 0,
    litres: 0,
  };

  function step(ms: number): void {
    const { pump, valveNorth, valveSouth, doser, fan, heater } = actuators();
    at += ms;
    opening = { north: moved(opening.north, valveNorth, ms), south: moved(opening.south, valveSouth, ms) };
    const north = pump ? LITRES_PER_MINUTE * opening.north : 0;
    const south = pump ? LITRES_PER_MINUTE * opening.south : 0;
    const hours = ms / HOUR_MS;
    const outdoorC = outdoor(at);
    const airTarget = outdoorC + (fan ? 1 : 6) + (heater ? 12 : 0);
    const airC = toward(state.airC, airTarget, hours * (fan ? 6 : 2));
    const wet = (bed: number, flow: number): number =>
      between(bed + flow * hours * 0.9 - bed * hours * 0.008 * Math.max(0.3, airC / 20), 4, 48);
    state = {
      outdoorC,
      airC,
      humidity: between(toward(state.humidity, 95 - airC * 1.6 - (fan ? 8 : 0), hours * 2), 15, 99),
      moistureNorth: wet(state.moistureNorth, north),
      moistureSouth: wet(state.moistureSouth, south),
      soilC: toward(state.soilC, outdoorC + 3, hours * 0.15),
      ph: between(doser ? state.ph - hours * 0.6 : toward(state.ph, 6.4, hours * 0.05), 3.5, 9),
      ec: between(doser ? state.ec + hours * 0.9 : toward(state.ec, 1.4, hours * 0.05), 0.2, 6),
      flowLitresPerMinute: north + south,
      litres: state.litres + (north + south) * (ms / 60_000),
    };
  }

  return {
    advance(now) {
      // Seconds while valves move, minutes for what is left: a farm that slept for a day is caught up in a blink.
      while (at < now) {
        const left = now - at;
        step(Math.min(left, left <= 10 * VALVE_MS ? 1_000 : Math.max(LONGEST_STEP_MS, left / 2_000)));
      }
    },
    get state() {
      return state;
    },
  };
}

function moved(opening: number, isOpen: boolean, ms: number): number {
  return between(opening + (isOpen ? ms : -ms) / VALVE_MS, 0, 1);
}

function outdoor(at: number): number {
  return 13 + 7 * Math.sin(((at % DAY_MS) / DAY_MS - 0.375) * 2 * Math.PI);
}

function toward(value: number, target: number, share: number): number {
  return value + (target - value) * (1 - Math.exp(-share));
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
