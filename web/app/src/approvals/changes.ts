// What an action does to a record, field by field.
import { equal, isFields } from '../ui/schemaform/types';

export interface Change {
  path: string[];
  was: unknown;
  will: unknown;
  kind: 'added' | 'removed' | 'changed' | 'same';
}

/** The number of fields of one record that are drawn at first. */
export const maxFields = 300;

/** The fields that differ, in the order of the record; all of them if none does. Lists of records are compared record
 * by record. All are returned: a caller that draws fewer has to show that. */
export function changes(before: unknown, after: unknown): Change[] {
  const found: Change[] = [];
  compare([], before ?? undefined, after ?? undefined, found);
  // Of a whole record that is added or removed, empty fields and the id are left out.
  const whole = before == null || after == null;
  const empty = ({ path, was, will }: Change) =>
    [was, will].every((v) => v === undefined || v === null || v === '') || path.join() === 'id';
  const differ = found.filter((c) => c.kind !== 'same' && !(whole && empty(c)));
  return differ.length ? differ : found;
}

const inner = (value: unknown): [string, unknown][] | null => {
  if (isFields(value)) return Object.entries(value);
  if (Array.isArray(value) && value.some((v) => typeof v === 'object' && v !== null))
    return value.map((v, i) => [String(i + 1), v]);
  return null;
};

function compare(path: string[], was: unknown, will: unknown, found: Change[]): void {
  const a = inner(was);
  const b = inner(will);
  if ((a?.length || b?.length) && (a || was === undefined) && (b || will === undefined)) {
    const [old, next] = [new Map(a), new Map(b)];
    for (const name of new Set([...old.keys(), ...next.keys()]))
      compare([...path, name], old.get(name), next.get(name), found);
    return;
  }
  if (was === undefined && will === undefined) return;
  found.push({ path, was, will, kind: kindOf(was, will) });
}

function kindOf(was: unknown, will: unknown): Change['kind'] {
  if (was === undefined) return 'added';
  if (will === undefined) return 'removed';
  return equal(was, will) ? 'same' : 'changed';
}

/** Whether one line describes the whole action: something new that has a name, quoted in the line, and nothing else. */
export function saidBy(text: string, { before, after, warnings }: Described): boolean {
  const named = (c: Change) =>
    c.path.join() === 'name' &&
    typeof c.will === 'string' &&
    /[“«]\s?([^]*)\s?[”»]/.exec(text)?.[1]?.trim() === c.will.trim();
  const list = changes(before, after); // null for an external call without a record
  return before == null && !warnings?.length && list.length > 0 && list.every(named);
}

interface Described {
  before?: unknown;
  after?: unknown;
  warnings?: string[];
}

/** Records that are added or removed: a column for each field, a row for each record. */
export interface Rows {
  kind: 'added' | 'removed';
  columns: string[][];
  rows: { at: string; cells: unknown[] }[];
}

const maxColumns = 5;
const maxCell = 80; // characters, beyond which a row is harder to read than lines

/** Several added or removed records of one list as rows of a table; null where lines are clearer: records that
 * change, that contain records, or long texts. Timestamps are the first column, booleans the last. */
export function rowsOf(list: Change[]): Rows | null {
  const kind = list[0]?.kind;
  const depth = list[0]?.path.findIndex((name) => /^\d+$/.test(name)) ?? -1;
  if ((kind !== 'added' && kind !== 'removed') || depth < 0) return null;
  const under = list[0]!.path.slice(0, depth).join();
  const columns = new Map<string, { path: string[]; order: number }>();
  const rows = new Map<string, Map<string, unknown>>();
  for (const c of list) {
    const value = kind === 'added' ? c.will : c.was;
    const at = c.path[depth] ?? '';
    const field = c.path.slice(depth + 1);
    if (
      c.kind !== kind ||
      c.path.slice(0, depth).join() !== under ||
      !/^\d+$/.test(at) ||
      !field.length ||
      !short(value)
    )
      return null;
    const order = typeof value === 'boolean' ? 2 : isTime(value) ? 0 : 1;
    const known = columns.get(field.join());
    columns.set(field.join(), { path: field, order: Math.max(order, known?.order ?? order) });
    rows.set(at, (rows.get(at) ?? new Map<string, unknown>()).set(field.join(), value));
  }
  if (rows.size < 2 || columns.size > maxColumns) return null;
  const sorted = [...columns].toSorted(([, a], [, b]) => a.order - b.order);
  return {
    kind,
    columns: sorted.map(([, { path }]) => path),
    rows: [...rows].map(([at, cells]) => ({ at, cells: sorted.map(([field]) => cells.get(field)) })),
  };
}

/** A timestamp in the server's format. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:/.test(value);

const short = (value: unknown) =>
  typeof value === 'string'
    ? value.length <= maxCell && !value.includes('\n')
    : typeof value !== 'object' || value === null;

export interface Line {
  text: string;
  kind: 'added' | 'removed' | 'same';
}

/** Two texts line by line, with unchanged lines around the changes; null where it is clearer to show both in full. */
export function lineDiff(was: string, will: string): Line[] | null {
  const [a, b] = [was.split('\n'), will.split('\n')];
  if (a.length + b.length < 4 || a.length * b.length > 250_000) return null;
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  if (longest[0]![0] === 0) return null;
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ text: a[i]!, kind: 'same' });
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || longest[i + 1]![j]! >= longest[i]![j + 1]!))
      lines.push({ text: a[i++]!, kind: 'removed' });
    else lines.push({ text: b[j++]!, kind: 'added' });
  }
  const near = 2;
  return lines.filter(
    (l, n) =>
      l.kind !== 'same' || lines.slice(Math.max(0, n - near), n + near + 1).some((other) => other.kind !== 'same'),
  );
}
