// What a push says, and where a click on it leads.

export interface Told {
  title: string;
  body: string;
  url: string;
  tag: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads a push. One that cannot be read is shown all the same: browsers take the permission away
 * from a page that is woken and shows nothing. */
export function read(data: string): Told {
  let said: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(data);
    if (typeof parsed === 'object' && parsed !== null) said = parsed as Record<string, unknown>;
  } catch {
    /* nothing of ours */
  }
  return {
    title: text(said.title) || 'Fermata',
    body: text(said.body),
    url: text(said.url),
    tag: text(said.tag) || 'fermata',
  };
}

/** Where a click leads: into this page, whatever a push says. */
export function target(url: string, origin: string): string {
  try {
    const there = new URL(url, origin);
    if (there.origin === origin) return there.href;
  } catch {
    /* no address */
  }
  return `${origin}/#/approvals`;
}
