// The typed client: paths, parameters and answers come from openapi.yaml. Every failure
// is thrown as a Problem.
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
    // The question who I am is what asks for a sign-in; any other refusal asks that question.
    if (response.status === 401 && schemaPath !== '/v1/me' && schemaPath !== '/v1/sign-in') refused();
    // A workspace that is gone, or not for its reader any more: back to their own.
    if (schemaPath === '/v1/me' && [403, 404].includes(response.status) && chosenWorkspace()) chooseWorkspace('');
    if (!response.ok) throw await problemOf(response);
  },
});

/** Queries for React: `$api.useQuery('get', '/v1/slot')`. Its key begins with ['get', path]. */
export const $api = createQueryClient(api);

/** The body of an answer: `const zone = await body(api.GET('/v1/zones/{zone_id}', …))`. */
export async function body<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T; // a failure was thrown before
}

/** The body with its ETag, for `If-Match` when it is saved. */
export async function versioned<T>(
  call: Promise<{ data?: T; response: Response }>,
): Promise<{ value: T; etag: string }> {
  const { data, response } = await call;
  return { value: data as T, etag: response.headers.get('ETag') ?? '' };
}

/** How lists go on, for `$api.useInfiniteQuery`: from page to page by `next_cursor`. (The
 * first page has null and no "": the library sends 0 for what is left out.) */
export const byPages = {
  pageParamName: 'after',
  initialPageParam: null,
  getNextPageParam: (page: { next_cursor?: string | null }) => page.next_cursor ?? undefined,
} as const;
