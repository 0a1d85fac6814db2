// Merge patches (RFC 7396), the bodies of PATCH requests.
type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The merge patch from one object to another: removed members are null, unchanged ones are omitted, lists are sent
 * whole. */
export function difference(before: Json, after: Json): Json {
  const gone = Object.keys(before).filter((name) => before[name] !== undefined && after[name] === undefined);
  const other = Object.entries(after).filter(([name, value]) => value !== undefined && !same(before[name], value));
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...other.map(([name, value]) => {
      const old = before[name];
      return [name, isObject(old) && isObject(value) ? difference(old, value) : value];
    }),
  ]);
}

/** Whether two values are the same JSON; the order of an object's names does not count. */
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
