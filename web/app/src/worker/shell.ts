// What the worker keeps of the page: its shell, and nothing that the server answers.

/** Written by the build (icons.ts, shell.ts of the build): the files of this version of the page. */
export interface Shell {
  version: string;
  /** Paths: the page itself first. */
  files: readonly string[];
}

/** The beginning of the names of our caches. */
export const prefix = 'fermata-shell-';

export const cacheOf = (shell: Shell): string => prefix + shell.version;

export type Kind = 'page' | 'file' | 'lasting';

/** What a request is to us; null: none of ours, the browser asks the server as ever. */
export function kindOf(shell: Shell, origin: string, request: Pick<Request, 'method' | 'url' | 'mode'>): Kind | null {
  if (request.method !== 'GET') return null;
  const url = new URL(request.url);
  if (url.origin !== origin || url.search !== '') return null;
  if (request.mode === 'navigate') return url.pathname === '/' ? 'page' : null;
  if (url.pathname === '/' || !shell.files.includes(url.pathname)) return null;
  return url.pathname.startsWith('/assets/') ? 'lasting' : 'file';
}

/** Whether an answer comes from in between, because the server is not there. */
export const isAway = (status: number): boolean => status === 502 || status === 503 || status === 504;

/** Whether a page is the one whose files are kept: an update in the middle of it brings another. */
export const fits = (shell: Shell, page: string): boolean =>
  shell.files.filter((path) => path.startsWith('/assets/index-')).every((path) => page.includes(path));
