// Where the page and its server are. Behind a proxy that may be below a path: https://example.org/fermata/.

/** The address of the page's folder, with a slash at its end. Every other address is resolved against it. */
export const base = typeof document === 'undefined' ? 'http://localhost/' : new URL('.', document.baseURI).href;

const { pathname: basePath } = new URL(base);

/** The absolute URL of a path of the server: `serverURL('/v1/files')`. A path that the server returned may begin with
 * the base path already. */
export function serverURL(path: string, folder: string = base): string {
  const prefix = new URL(folder).pathname;
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : path.replace(/^\//, '');
  return folder + rest;
}

/** The name of a value in localStorage or sessionStorage, or of a channel between tabs. Two servers below different paths
 * of one host share these, so the name has the path in it. */
export const storageName = (name: string, path: string = basePath): string =>
  path === '/' ? `fermata.${name}` : `fermata@${path}.${name}`;

/** The beginning of every storage name of this server. */
export const storagePrefix = storageName('');
