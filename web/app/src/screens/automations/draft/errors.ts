// Which of the server's complaints belongs to which field.
import type { FieldError } from '../../../api/problem';

export { errorAt } from '../../../api/problem';
/** The complaint about a field, or about something inside of it. */
export const errorBelow = (errors: FieldError[], pointer: string): string | undefined =>
  errors.find((e) => e.pointer === pointer || e.pointer.startsWith(`${pointer}/`))?.message;

/** Those that no field of the form shows. */
export const unplaced = (errors: FieldError[], pointers: string[]): FieldError[] =>
  errors.filter((e) => !pointers.some((p) => e.pointer === p || e.pointer.startsWith(`${p}/`)));
