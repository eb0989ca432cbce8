import { hda3, hti, toHouseDate, type HouseDate } from "../codecs.ts";
import type { TimerPrograms } from "../devices/timer-programs.ts";
import type { RegisterImage, RegisterKey } from "../register-image.ts";
import type { PlantState } from "./plant-state.ts";

const FROST_C = 5;
const ROOM_HYSTERESIS_K = 0.2;
const QUICK_VETO = 2;
const BOOST = 6;

export interface Regulator {
  /** Decides what is to be warm, from what people have set. */
  decide(state: PlantState, at: number): void;
  /** A register was written: a quick veto begins with its duration. */
  written(key: RegisterKey, at: number): void;
}

/** The controller's judgement: modes, timers, vetoes, heating curve, charging of the cylinder. */
export function createRegulator({ image, programs }: { image: RegisterImage; programs: TimerPrograms }): Regulator {
  const vetoEnds = new Map<number, number>();
  const setting = (key: RegisterKey, otherwise: number): number => image.number(key) ?? otherwise;

  function zoneSetpoint(zone: number, now: HouseDate): number {
    const of = (register: string): RegisterKey => `02/03/0${zone}/${register}`;
    const special = setting(of("0E"), 0);
    if (special === QUICK_VETO) return setting(of("08"), 20);
    if (special === 3 || special === 4) return setting(of("05"), FROST_C);
    switch (setting(of("06"), 0)) {
      case 1:
        return slotTemperature(zone, 0, now) ?? setting(of("09"), FROST_C);
      case 2:
        return setting(of("22"), 20);
      default:
        return FROST_C;
    }
  }

  /** The temperature of the running slot; undefined between slots. */
  function slotTemperature(zone: number, kind: number, now: HouseDate): number | undefined {
    const day = programs.find(zone, kind)?.days[now.weekday];
    if (day === undefined) return undefined;
    const minute = now.hour * 60 + now.minute;
    const running = day.slots
      .slice(0, day.count)
      .find(
        (slot) =>
          slot !== undefined &&
          minute >= slot.startHour * 60 + slot.startMinute &&
          minute < slot.endHour * 60 + slot.endMinute,
      );
    return running && running.temperature / 10;
  }

  function decideZone(state: PlantState, zone: number, now: HouseDate): void {
    const room = state.zones[zone];
    if (room === undefined) return;
    const circuit = `02/02/0${zone}`;
    room.setpointC = zoneSetpoint(zone, now);
    const winter = state.outdoorAverageC < setting(`${circuit}/14`, 20) && setting("02/00/00/07", 0) === 0;
    const threshold = room.setpointC + (room.heated ? ROOM_HYSTERESIS_K : -ROOM_HYSTERESIS_K);
    room.heated = winter && !state.charging && room.roomC < threshold;
    const curve = setting(`${circuit}/0F`, 1.2) * (room.setpointC - state.outdoorC) + room.setpointC;
    const bounded = Math.min(setting(`${circuit}/10`, 70), Math.max(setting(`${circuit}/12`, 30), curve));
    room.circuitTargetC = room.heated ? bounded : 0;
  }

  function decideHotWater(state: PlantState, now: HouseDate): void {
    const target = setting("02/01/00/04", 50);
    const mode = setting("02/01/00/03", 0);
    const boost = setting("02/01/00/0D", 0) === BOOST;
    const wanted = boost || mode === 2 || (mode === 1 && slotTemperature(0xff, 2, now) !== undefined);
    const from = state.charging || boost ? target : target - setting("02/00/00/27", 5);
    state.charging = wanted && state.cylinderC < from;
    if (boost && !state.charging) image.putNumber("02/01/00/0D", 0);
  }

  return {
    decide(state, at) {
      const now = toHouseDate(at);
      for (const [zone, end] of vetoEnds) {
        if (at < end) continue;
        vetoEnds.delete(zone);
        if (setting(`02/03/0${zone}/0E`, 0) === QUICK_VETO) image.putNumber(`02/03/0${zone}/0E`, 0);
      }
      decideHotWater(state, now);
      for (const zone of state.zones.keys()) decideZone(state, zone, now);
      const charge = setting("02/01/00/04", 50) + setting("02/00/00/29", 15);
      state.flowTargetC = state.charging
        ? Math.min(charge, setting("02/00/00/46", 80))
        : Math.max(...state.zones.map((zone) => zone.circuitTargetC));
    },
    written(key, at) {
      const zone = /^02\/03\/0([01])\/26$/.exec(key)?.[1];
      if (zone === undefined) return;
      const end = at + setting(key, 0) * 3_600_000;
      vetoEnds.set(Number(zone), end);
      image.putNumber(`02/03/0${zone}/0E`, QUICK_VETO);
      image.put(`02/03/0${zone}/1E`, hti(toHouseDate(end)));
      image.put(`02/03/0${zone}/24`, hda3(toHouseDate(end)));
    },
  };
}
