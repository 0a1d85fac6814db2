// What the service worker caches: the files of the page, never a response of the API.

/** Written by the build (build/installable.ts): the files of this version of the page. */
export interface Shell {
  version: string;
  /** Paths relative to the worker's scope: '' is the page itself, and is the first. */
  files: readonly string[];
}

/** The beginning of the names of the caches of one scope. Caches belong to the host, which may serve several scopes. */
export const cachePrefix = (scope: string): string => {
  const { pathname } = new URL(scope);
  return pathname === '/' ? 'fermata-shell-' : `fermata@${pathname}-shell-`;
};

export type Kind = 'page' | 'file' | 'lasting';

/** The path of a URL relative to the scope; null if it is outside or has a query. */
export function pathIn(scope: string, address: string): string | null {
  const url = new URL(address);
  const whole = url.origin + url.pathname;
  return url.search === '' && whole.startsWith(scope) ? whole.slice(scope.length) : null;
}

/** Which kind of file a request is for; null if the worker does not handle it. */
export function kindOf(shell: Shell, scope: string, request: Pick<Request, 'method' | 'url' | 'mode'>): Kind | null {
  if (request.method !== 'GET') return null;
  const path = pathIn(scope, request.url);
  if (path === null) return null;
  if (request.mode === 'navigate') return path === '' ? 'page' : null;
  if (path === '' || !shell.files.includes(path)) return null;
  return path.startsWith('assets/') ? 'lasting' : 'file';
}

/** Whether a status is that of a proxy whose server is unavailable. */
export const isAway = (status: number): boolean => status === 502 || status === 503 || status === 504;

/** Whether a page refers to the files of this version. During an update the server may return a newer page. */
export const fits = (shell: Shell, page: string): boolean =>
  shell.files.filter((path) => path.startsWith('assets/index-')).every((path) => page.includes(path));
