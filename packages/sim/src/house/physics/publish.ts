import { d2b, d2c, hda3, hti, u16, u8, type HouseDate } from "../codecs.ts";
import type { BoilerRegisters } from "../boiler-registers.ts";
import type { RegisterImage } from "../register-image.ts";
import type { PlantState } from "./plant-state.ts";

const ON = [0x0f];
const OFF = [0xf0];
const SENSOR_OK = 0x00;

/** Sensors see sixteenths of a degree. */
const seen = (value: number): number => Math.round(value * 16) / 16;

export function publishClock(image: RegisterImage, now: HouseDate): void {
  image.put("02/00/00/34", hda3(now));
  image.put("02/00/00/35", hti(now));
}

/** Writes what the sensors see into the controller's registers. */
export function publishController(image: RegisterImage, state: PlantState): void {
  image.putNumber("02/00/00/39", Math.round(state.pressureBar * 10) / 10);
  image.putNumber("02/00/00/48", state.charging ? 3 : state.zones.some((zone) => zone.heated) ? 1 : 0);
  image.putNumber("02/00/00/4B", seen(state.flowC));
  image.putNumber("02/00/00/73", Math.round(state.outdoorC * 256) / 256);
  image.putNumber("02/00/00/95", Math.round(state.outdoorAverageC * 256) / 256);
  image.putNumber("02/01/00/05", seen(state.cylinderC));
  image.putNumber("02/01/00/06", state.charging ? 1 : 0);
  image.putNumber("02/01/00/08", state.charging ? seen(state.flowTargetC) : 0);
  image.putNumber("02/01/00/0F", state.charging ? 1 : 0);
  image.putNumber("02/04/00/03", seen(state.collectorC));
  image.putNumber("02/05/00/04", seen(state.cylinderC + 0.3125));
  for (const [index, zone] of state.zones.entries()) {
    const circuit = `02/02/0${index}`;
    image.putNumber(`${circuit}/07`, seen(zone.circuitTargetC));
    image.putNumber(`${circuit}/08`, seen(zone.circuitFlowC));
    image.putNumber(`${circuit}/1B`, zone.heated ? 1 : 0);
    image.putNumber(`${circuit}/1E`, zone.heated ? 1 : 0);
    image.putNumber(`${circuit}/1F`, zone.setpointC);
    const humidity = Math.round(46 - zone.roomC * 0.5);
    const remote = index === 0 ? "06/09/01" : "06/0A/01";
    for (const place of [`02/03/0${index}`, remote]) image.putNumber(`${place}/0F`, seen(zone.roomC));
    image.putNumber(`02/03/0${index}/28`, humidity);
    image.putNumber(`${remote}/07`, humidity);
    image.putNumber(`02/03/0${index}/12`, zone.heated ? 1 : 0);
    image.putNumber(`02/03/0${index}/14`, zone.setpointC);
    image.putNumber(`02/03/0${index}/1B`, zone.heated ? 1 : 0);
  }
}

/** And into the boiler's. */
export function publishBoiler(registers: BoilerRegisters, state: PlantState): void {
  const onOff = (address: string, on: boolean): void => registers.put(address, on ? ON : OFF);
  const burning = state.burner === "burning";
  registers.put("1800", [...d2c(state.flowC), SENSOR_OK]);
  registers.put("0200", d2b(state.pressureBar));
  onOff("0500", burning);
  onOff("BB00", burning || state.burner === "igniting");
  onOff("4400", state.pumpOn);
  const rpm = burning ? Math.round(1_500 + state.modulation * 4_500) : state.burner === "standby" ? 0 : 2_400;
  registers.put("8300", u16(rpm));
  registers.put("2400", u16(rpm));
  registers.put("2E00", u16(state.modulation * 1_000));
  registers.put("AB00", u8(stateNumber(state)));
  registers.put("5400", u8(state.charging ? 100 : 0));
  onOff("5800", state.charging);
  registers.put("5500", u16(state.drawLitresPerMinute * 100));
  registers.put("A400", u16(burning ? 620 + state.modulation * 200 : 0));
  registers.put("FB00", u16(state.pumpOn ? 1_800 : 0));
  registers.put("9E00", u8(state.charging ? 100 : 0));
  registers.put("3900", d2c(state.flowTargetC));
  registers.put("2800", u16(state.heatingSeconds / 7_200));
  registers.put("2200", u16(state.hotWaterSeconds / 7_200));
  registers.put("1400", u16(state.pumpSeconds / 7_200));
  registers.put("2900", u16(state.heatingStarts));
  registers.put("2300", u16(state.hotWaterStarts));
}

function stateNumber({ burner, modulation }: PlantState): number {
  switch (burner) {
    case "standby":
      return 0;
    case "purging":
      return 3;
    case "igniting":
      return 6;
    case "burning":
      return modulation > 0.7 ? 10 : modulation > 0.3 ? 9 : 8;
    case "clearing":
      return 11;
  }
}
