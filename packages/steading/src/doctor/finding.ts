/** What one check found. `bad` keeps a hub from working as it should, `odd` deserves a look. */
export interface Finding {
  readonly check: string;
  readonly verdict: "good" | "odd" | "bad";
  readonly says: string;
  readonly hint?: string;
}

export function good(check: string, says: string): Finding {
  return { check, verdict: "good", says };
}
export function odd(check: string, says: string, hint?: string): Finding {
  return { check, verdict: "odd", says, ...(hint !== undefined && { hint }) };
}
export function bad(check: string, says: string, hint?: string): Finding {
  return { check, verdict: "bad", says, ...(hint !== undefined && { hint }) };
}
