import type { FieldState } from "./field.ts";
import { fromImage, type Unit } from "./unit.ts";

type Look = () => FieldState;

/** SHT20 class: input 1 temperature, input 2 humidity, tenths. */
export function createClimateSensor({ address, look }: { readonly address: number; readonly look: Look }): Unit {
  return sensor({
    address,
    model: "SHT20",
    table: "input",
    image: () => [0, tenths(look().airC), tenths(look().humidity)],
  });
}

/** Input 0 moisture and 1 temperature in tenths, 2 conductivity in µS/cm. */
export function createSoilProbe({
  address,
  look,
  moisture,
}: {
  readonly address: number;
  readonly look: Look;
  readonly moisture: (state: FieldState) => number;
}): Unit {
  return sensor({
    address,
    model: "Soil probe",
    table: "input",
    image: () => [tenths(moisture(look())), tenths(look().soilC), Math.round(moisture(look()) * 32)],
  });
}

/** Holding float32, high word first: 0 pH, 2 conductivity in mS/cm, 4 temperature of the solution. */
export function createSolutionProbe({ address, look }: { readonly address: number; readonly look: Look }): Unit {
  return sensor({
    address,
    model: "pH/EC probe",
    table: "holding",
    image: () => [...float32(look().ph), ...float32(look().ec), ...float32(look().soilC + 2)],
  });
}

/** Input 0 flow in tenths of a litre a minute, 1 and 2 the litres that ever ran, uint32 with the low word first. */
export function createFlowMeter({ address, look }: { readonly address: number; readonly look: Look }): Unit {
  return sensor({
    address,
    model: "Flow meter",
    table: "input",
    image: () => {
      const litres = Math.floor(look().litres) >>> 0;
      return [tenths(look().flowLitresPerMinute), litres & 0xffff, litres >>> 16];
    },
  });
}

function sensor({
  address,
  model,
  table,
  image,
}: {
  readonly address: number;
  readonly model: string;
  readonly table: "input" | "holding";
  readonly image: () => readonly number[];
}): Unit {
  const read = (start: number, count: number): readonly number[] => fromImage(new Map(image().entries()), start, count);
  return { address, model, answers: true, ...(table === "input" ? { input: read } : { holding: read }) };
}

function tenths(value: number): number {
  return Math.round(value * 10) & 0xffff;
}

function float32(value: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return [view.getUint16(0), view.getUint16(2)];
}
