import * as z from "zod";

/** The form of an e-mail address that the reference asks for; it is what one logs in with. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export const Email = z.string().max(254).regex(EMAIL, "must be an e-mail address");
export const NewPassword = z.string().min(8, "must have at least 8 characters").max(1_000);
