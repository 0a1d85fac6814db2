import type { FieldError } from '../../../api/problem';

export interface LineError {
  line: number | null;
  column: string;
  message: string;
}

/** The errors of a file, by line and column: pointers like "/lines/17/value". */
export function lineErrors(errors: FieldError[]): LineError[] {
  return errors.map(({ pointer, message }) => {
    const [, line, column] = /^\/lines\/(\d+)(?:\/(.*))?$/.exec(pointer) ?? [];
    // The server's text begins with the same line and column, which the table shows already.
    const text = line ? message.replace(new RegExp(`^Line ${line}(, column "[^"]*")?: `), '') : message;
    return {
      line: line ? Number(line) : null,
      column: (column ?? '').replaceAll('~1', '/').replaceAll('~0', '~'),
      message: text,
    };
  });
}
