// JSON pointers (RFC 6901): the positions of errors in a request.
export const below = (at: string, name: string | number) =>
  `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The tokens of a pointer: "#/$defs/a~1b" gives ["$defs", "a/b"]. */
export const namesOf = (pointer: string) =>
  pointer
    .replace(/^#/, '')
    .split('/')
    .slice(1)
    .map((n) => n.replaceAll('~1', '/').replaceAll('~0', '~'));

export const within = (pointer: string, at: string) => pointer === at || pointer.startsWith(`${at}/`);

/** The last token of a pointer, unescaped. */
export const lastOf = (pointer: string) => namesOf(pointer).at(-1) ?? '';
