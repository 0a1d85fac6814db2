// The workspace that this browser shows, for readers with access to several. All tabs show the same one: they share
// one stream.
import { storageName } from './base';
import { forget } from './forget';

const store = storageName('workspace');

/** The header that names the workspace. */
export const workspaceHeader = 'Fermata-Workspace';

/** The chosen workspace; '' for the reader's own. */
export function chosenWorkspace(): string {
  try {
    return localStorage.getItem(store) ?? '';
  } catch {
    return '';
  }
}

/** Reloads the page: its state belongs to one workspace. */
function restart(): void {
  try {
    forget(sessionStorage);
  } catch {
    /* no storage, so nothing is stored */
  }
  location.hash = '#/';
  location.reload();
}

/** Switches to another workspace; '' for the reader's own. */
export function chooseWorkspace(id: string): void {
  try {
    if (id) localStorage.setItem(store, id);
    else localStorage.removeItem(store);
  } catch {
    return; // the choice could not be stored
  }
  restart();
}

window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key === store && oldValue !== newValue) restart();
});
