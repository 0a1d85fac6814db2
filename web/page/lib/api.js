// Calls of the server's API. Every failure is a Problem, also those that never reached
// the server.

const keyName = 'fermata.key';

export const getKey = () => sessionStorage.getItem(keyName);

export function setKey(key) {
  if (key) sessionStorage.setItem(keyName, key);
  else sessionStorage.removeItem(keyName);
}

// Problem is an error in the shape of RFC 9457.
export class Problem extends Error {
  constructor(fields) {
    super(fields.detail || fields.title || fields.code);
    Object.assign(this, { status: 0, code: 'unknown', errors: [] }, fields);
  }
}

// call makes one request. Options: body (JSON), idempotencyKey, signal.
export async function call(method, path, { body, idempotencyKey, signal } = {}) {
  const headers = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  const key = getKey();
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (cause) {
    if (cause.name === 'AbortError') throw cause;
    throw new Problem({ code: 'unreachable', retryable: true, outcome: method === 'GET' ? 'not_applied' : 'unknown' });
  }
  const text = await response.text().catch(() => '');
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* a proxy's page, not ours */ }
  if (response.ok) return data;
  throw new Problem({
    code: response.status === 502 || response.status === 504 ? 'unreachable' : 'unknown',
    title: response.statusText,
    ...(data && typeof data === 'object' ? data : {}),
    status: response.status,
    request_id: data?.request_id ?? response.headers.get('X-Request-ID'),
    retryAfter: Number(response.headers.get('Retry-After')) || 0,
  });
}

// all reads every page of a list and keeps the last rows of it; dropped counts the rest.
export async function all(path, last = Infinity) {
  const rows = [];
  let dropped = 0;
  let cursor = null;
  do {
    const page = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor ? `&after=${encodeURIComponent(cursor)}` : ''}`);
    rows.push(...page.data);
    const over = Math.max(0, rows.length - last);
    rows.splice(0, over);
    dropped += over;
    cursor = page.next_cursor;
  } while (cursor);
  return { rows, dropped };
}

export const newKey = () => crypto.randomUUID?.()
  ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
