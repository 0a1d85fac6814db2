// JSON pointers and merge patches.
type Json = Record<string, unknown>;

const names = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands at a pointer; undefined where nothing does. */
export function at(value: unknown, pointer: string): unknown {
  return names(pointer).reduce<unknown>((here, name) => (isObject(here) ? here[name] : undefined), value);
}

/** The merge patch that sets these pointers. */
export function patchOf(values: ReadonlyMap<string, unknown>): Json {
  const patch: Json = {};
  for (const [pointer, value] of values) {
    const path = names(pointer);
    let here = patch;
    for (const name of path.slice(0, -1)) here = (here[name] ??= {}) as Json;
    here[path[path.length - 1]!] = value;
  }
  return patch;
}

/** The merge patch that makes one object of another: what is gone becomes null. */
export function difference(before: Json, after: Json): Json {
  const patch: Json = {};
  for (const name of Object.keys(before)) if (after[name] === undefined) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (value === undefined || same(old, value)) continue;
    patch[name] = isObject(old) && isObject(value) ? difference(old, value) : value;
  }
  return patch;
}

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}
