// The typed API client, generated from openapi.yaml. Every failure is thrown as a Problem.
import createClient from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { getLang } from '../i18n/lang';
import { base } from './base';
import { problemOf } from './problem';
import type { components, paths } from './schema';
import { fetchWhole } from './whole';
import { refused } from './who';
import { chooseWorkspace, chosenWorkspace, workspaceHeader } from './workspace';

export type Schemas = components['schemas'];

export const newKey = (): string =>
  crypto.randomUUID?.() ??
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');

export const api = createClient<paths>({ baseUrl: base.slice(0, -1), cache: 'no-store', fetch: fetchWhole });

api.use({
  onRequest({ request }) {
    request.headers.set('Accept-Language', getLang());
    const workspace = chosenWorkspace();
    if (workspace) request.headers.set(workspaceHeader, workspace);
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', newKey());
    return request;
  },
  async onResponse({ schemaPath, response }) {
    // GET /v1/me decides whether to show the sign-in form; any other 401 only triggers that request.
    if (response.status === 401 && schemaPath !== '/v1/me' && schemaPath !== '/v1/sign-in') refused();
    // The chosen workspace no longer exists or is not the reader's: fall back to their own.
    if (schemaPath === '/v1/me' && [403, 404].includes(response.status) && chosenWorkspace()) chooseWorkspace('');
    if (!response.ok) throw await problemOf(response);
  },
});

/** Queries for React: `$api.useQuery('get', '/v1/slot')`. Its key begins with ['get', path]. */
export const $api = createQueryClient(api);

/** The body of an answer: `const zone = await body(api.GET('/v1/zones/{zone_id}', …))`. */
export async function body<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T; // failures were thrown by onResponse
}

/** The body with its ETag, for `If-Match` when it is saved. */
export async function versioned<T>(
  call: Promise<{ data?: T; response: Response }>,
): Promise<{ value: T; etag: string }> {
  const { data, response } = await call;
  return { value: data as T, etag: response.headers.get('ETag') ?? '' };
}

/** How lists are paged, for `$api.useInfiniteQuery`: by `next_cursor`. (The first page has null and not "": the
 * library sends 0 for a missing parameter.) */
export const byPages = {
  pageParamName: 'after',
  initialPageParam: null,
  getNextPageParam: (page: { next_cursor?: string | null }) => page.next_cursor ?? undefined,
} as const;
