import type { Preferences } from "./rows.ts";
import type { Tables } from "./tables.ts";

const DEFAULTS: Omit<Preferences, "id"> = {
  sound_alerts_enabled: false,
  sound_volume: 0.5,
  alert_sound_critical: "alarm",
  alert_sound_warning: "beep",
  alert_sound_info: "chime",
};

export type PreferenceChange = { readonly [K in keyof Omit<Preferences, "id">]?: Preferences[K] | undefined };

/** How each account likes its alerts to sound. */
export interface PreferenceBook {
  of(account: number): Preferences;
  change(account: number, change: PreferenceChange): Promise<Preferences>;
  forget(account: number): Promise<void>;
}

export function createPreferences({ tables }: { readonly tables: Tables }): PreferenceBook {
  const of = (account: number): Preferences => tables.get("user_preferences", account) ?? { id: account, ...DEFAULTS };
  return {
    of,
    async change(account, change) {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const merged: Preferences = { ...of(account), ...given };
      const changed = { ...merged, sound_volume: Math.min(1, Math.max(0, merged.sound_volume)) };
      await tables.commit([{ table: "user_preferences", put: changed }]);
      return changed;
    },
    async forget(account) {
      if (tables.get("user_preferences", account))
        await tables.commit([{ table: "user_preferences", delete: account }]);
    },
  };
}
