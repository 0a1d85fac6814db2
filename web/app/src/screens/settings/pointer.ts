// JSON pointers, and merge patches made from them.
type Json = Record<string, unknown>;

const names = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a pointer; undefined if there is none. */
export function at(value: unknown, pointer: string): unknown {
  return names(pointer).reduce<unknown>((here, name) => (isObject(here) ? here[name] : undefined), value);
}

/** The merge patch that sets the values at these pointers. */
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
