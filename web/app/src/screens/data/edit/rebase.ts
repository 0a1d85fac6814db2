type Fields = Record<string, unknown>;
const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges local edits with a concurrent save: edited fields keep their local values, the others get the stored ones.
 * Nested objects are merged field by field. */
export function rebase<T extends object>(base: T, mine: T, theirs: T): T {
  const out: Fields = { ...theirs } as Fields;
  const [was, is] = [base as Fields, mine as Fields];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (equal(was[name], is[name])) continue;
    const both = isObject(was[name]) && isObject(is[name]) && isObject(out[name]);
    if (both) out[name] = rebase(was[name] as Fields, is[name] as Fields, out[name] as Fields);
    else if (name in is) out[name] = is[name];
    else delete out[name];
  }
  return out as T;
}
