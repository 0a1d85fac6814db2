// The content of a push message, and the address that a click on its notification opens.

export interface PushNotification {
  title: string;
  body: string;
  url: string;
  tag: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses a push message. An unreadable one still gives a notification: browsers revoke the permission of a page that
 * receives a push message and shows nothing. */
export function parsePush(data: string): PushNotification {
  let fields: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(data);
    if (typeof parsed === 'object' && parsed !== null) fields = parsed as Record<string, unknown>;
  } catch {
    /* not JSON: the defaults below */
  }
  return {
    title: text(fields.title) || 'Fermata',
    body: text(fields.body),
    url: text(fields.url),
    tag: text(fields.tag) || 'fermata',
  };
}

/** The address that a click opens: always one of this page, whatever the push message contains. */
export function targetOf(url: string, scope: string): string {
  try {
    const target = url.startsWith('/#') ? new URL(url.slice(1), scope) : new URL(url, scope);
    if (target.href.startsWith(scope)) return target.href;
  } catch {
    /* not an address */
  }
  return `${scope}#/approvals`;
}
