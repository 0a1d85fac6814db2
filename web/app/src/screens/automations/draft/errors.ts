// Assigns the server's errors to fields.
import type { FieldError } from '../../../api/problem';

export { errorAt } from '../../../api/problem';
/** The error of a field, or of a value inside it. */
export const errorBelow = (errors: FieldError[], pointer: string): string | undefined =>
  errors.find((e) => e.pointer === pointer || e.pointer.startsWith(`${pointer}/`))?.message;

/** The errors that no field of the form shows. */
export const unplaced = (errors: FieldError[], pointers: string[]): FieldError[] =>
  errors.filter((e) => !pointers.some((p) => e.pointer === p || e.pointer.startsWith(`${p}/`)));
