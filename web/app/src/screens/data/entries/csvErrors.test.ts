import { expect, it } from 'vitest';
import { lineErrors } from './csvErrors';

it('errors have a line and a column', () => {
  expect(
    lineErrors([
      { pointer: '/lines/3/value', code: 'type', message: 'Line 3, column "value": This must be a number.' },
      { pointer: '/lines/4', code: 'csv', message: 'Line 4: Too many cells.' },
      { pointer: '/lines/1/a~1b', code: 'unknown', message: 'Line 1, column "a/b": There is none.' },
      { pointer: '', code: 'csv', message: 'The file is empty.' },
    ]),
  ).toEqual([
    { line: 3, column: 'value', message: 'This must be a number.' },
    { line: 4, column: '', message: 'Too many cells.' },
    { line: 1, column: 'a/b', message: 'There is none.' },
    { line: null, column: '', message: 'The file is empty.' },
  ]);
});
