import { d2c } from "../codecs.ts";
import { NETX3, VR71_SENSORS_1_TO_7, VR71_SENSORS_8_TO_12, VR_71, VR_92 } from "../data/modules.data.ts";
import type { Answer, Device } from "../device.ts";
import { fromHex } from "../hex.ts";
import type { Climate } from "../physics/climate.ts";
import { answerIdentification } from "./identification.ts";

/** The functional module at 26: sensors and a mixer. */
export function createVr71({ climate, frozen }: { climate: Climate; frozen: boolean }): Device {
  function answerSensors([form, ...rest]: readonly number[]): Answer {
    if (form === 0x02 && rest.length > 0) return [0x9c];
    if (form === 0x07) return [...fromHex(VR71_SENSORS_8_TO_12)];
    if (form !== 0x06) return "unknown";
    const captured = [...fromHex(VR71_SENSORS_1_TO_7)];
    if (frozen) return captured;
    // Sensor 1 sits in the return of circuit 1, 5 and 6 in the cylinder, 7 on the collector.
    const { zones, cylinderC, collectorC } = climate.state;
    captured.splice(0, 2, ...d2c(zones[0]?.circuitFlowC ?? null));
    captured.splice(8, 6, ...d2c(cylinderC - 11), ...d2c(cylinderC - 10.875), ...d2c(collectorC));
    return captured;
  }

  return {
    name: "VR_71",
    targets: () => [0x26],
    initiators: [],
    answer(telegram) {
      climate.settle();
      const identification = answerIdentification(VR_71, telegram);
      if (identification !== "unknown") return identification;
      return telegram.primary === 0xb5 && telegram.secondary === 0x23 ? answerSensors(telegram.data) : "unknown";
    },
  };
}

/** The cloud gateway, with two initiator and two target faces. */
export function createNetx3(): Device {
  return {
    name: "NETX3",
    targets: () => [0xf6, 0x04],
    initiators: [0xf1, 0xff],
    answer: (telegram) => answerIdentification(NETX3, telegram),
  };
}

/** The room thermostat; it lives on radio and only says who it is on the wire, if it is there at all. */
export function createVr92({ present }: { present: () => boolean }): Device {
  return {
    name: "VR_92",
    targets: () => (present() ? [0x35] : []),
    initiators: [],
    answer: (telegram) => answerIdentification(VR_92, telegram),
  };
}
