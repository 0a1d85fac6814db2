// The workspace that this browser looks at, where its reader may look at several. All tabs look at
// the same one: they share one stream.
import { storageName } from './base';
import { forget } from './forget';

const store = storageName('workspace');

/** The header that names it. */
export const workspaceHeader = 'Fermata-Workspace';

/** The one that was chosen; empty: the reader's own. */
export function chosenWorkspace(): string {
  try {
    return localStorage.getItem(store) ?? '';
  } catch {
    return '';
  }
}

/** What the page holds and shows is of one workspace: it begins anew in another one. */
function beginAnew(): void {
  try {
    forget(sessionStorage);
  } catch {
    /* no storage, nothing in it */
  }
  location.hash = '#/';
  location.reload();
}

/** Looks at another workspace from now on; empty: the reader's own. */
export function chooseWorkspace(id: string): void {
  try {
    if (id) localStorage.setItem(store, id);
    else localStorage.removeItem(store);
  } catch {
    return; // nothing would remember it
  }
  beginAnew();
}

window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key === store && oldValue !== newValue) beginAnew();
});
