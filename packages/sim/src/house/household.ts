import { createBoilerRegisters } from "./boiler-registers.ts";
import type { Bus } from "./bus.ts";
import type { BusMember } from "./bus-member.ts";
import type { HouseClock } from "./clock.ts";
import { BOILER_REGISTERS } from "./data/boiler.data.ts";
import { CONTROLLER_CAPTURED } from "./data/controller-captured.data.ts";
import { CONTROLLER_GROUPS } from "./data/controller-registers.data.ts";
import type { Device } from "./device.ts";
import { createBoiler } from "./devices/boiler.ts";
import { createController } from "./devices/controller.ts";
import { createNetx3, createVr71, createVr92 } from "./devices/modules.ts";
import { createTimerPrograms } from "./devices/timer-programs.ts";
import type { ArmedFaults } from "./faults.ts";
import { createInitiatorStation, type InitiatorStation } from "./initiator-station.ts";
import { createClimate } from "./physics/climate.ts";
import type { PlantState } from "./physics/plant-state.ts";
import { createRegisterImage } from "./register-image.ts";
import type { HouseSettings } from "./settings.ts";
import { createTargetStation } from "./target-station.ts";
import { BOILER_STATUS_QUESTION, CIRCULATION_ORDER, createTraffic, SIGN_OF_LIFE } from "./traffic.ts";

export interface Household {
  start(): void;
  stop(): void;
  /** Brought up to the present. */
  state(): Readonly<PlantState>;
  thief(address: number): BusMember | undefined;
  readonly droppedTelegrams: number;
}

/** The devices that live on the bus, their memories, and what they say to each other. */
export function createHousehold({
  clock,
  bus,
  faults,
  settings,
  symbolMs,
  frozen,
  utcOffsetMs,
}: {
  clock: HouseClock;
  bus: Bus;
  faults: ArmedFaults;
  settings: () => HouseSettings;
  symbolMs: number;
  frozen: boolean;
  utcOffsetMs: number;
}): Household {
  const image = createRegisterImage({ groups: CONTROLLER_GROUPS, captured: CONTROLLER_CAPTURED });
  const registers = createBoilerRegisters(BOILER_REGISTERS);
  const programs = createTimerPrograms();
  const climate = createClimate({
    now: () => clock.now() + utcOffsetMs,
    frozen,
    image,
    boiler: registers,
    programs,
    boilerError: () => settings().boilerError,
  });

  const station = (name: string, address: number): InitiatorStation =>
    createInitiatorStation({ name, address, bus, faults });
  const stations = new Map(
    [station("BASV2", 0x10), station("BAI00", 0x03), station("NETX3", 0xf1)].map((one) => [one.address, one]),
  );

  const devices: readonly Device[] = [
    createController({ clock, image, programs, climate, faults, settings }),
    createBoiler({ registers, climate, settings, frozen }),
    createVr71({ climate, frozen }),
    createNetx3(),
    createVr92({ present: () => settings().vr92 }),
  ].map((device) => withSignOfLife(device, stations));

  const targets = createTargetStation({
    bus,
    clock,
    devices,
    faults,
    symbolMs,
    ackMs: () => settings().ackMs,
    unknownCommand: () => settings().unknownCommand,
  });
  const traffic = createTraffic({
    clock,
    climate,
    programs,
    enabled: () => settings().traffic,
    send: (from, telegram) => stations.get(from)?.send(telegram),
  });

  return {
    start: traffic.start,
    stop() {
      traffic.stop();
      targets.stop();
    },
    state() {
      climate.settle();
      return climate.state;
    },
    thief(address) {
      const one = stations.get(address);
      one?.ready(address === 0x10 ? BOILER_STATUS_QUESTION : CIRCULATION_ORDER);
      return one?.member;
    },
    get droppedTelegrams() {
      return [...stations.values()].reduce((sum, one) => sum + one.dropped, 0);
    },
  };
}

/** A device with an initiator face answers an inquiry of existence (07 FE) with a sign of life (07 FF). */
function withSignOfLife(device: Device, stations: ReadonlyMap<number, InitiatorStation>): Device {
  const one = device.initiators.map((address) => stations.get(address)).find((found) => found !== undefined);
  if (one === undefined) return device;
  return {
    ...device,
    overhear({ source, primary, secondary }) {
      if (primary === 0x07 && secondary === 0xfe && source !== one.address) one.send(SIGN_OF_LIFE);
    },
  };
}
