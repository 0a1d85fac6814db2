// Who sits before this browser. The browser has a cookie that no script can read; nothing here
// is a secret.
import { storageName } from './base';
import { forget } from './forget';

/** Where earlier versions of the page kept a key. */
const formerKey = storageName('key');
/** Whose drafts these are: the id that GET /v1/me says. */
const owner = storageName('who');
const refusals = new Set<() => void>();

try {
  sessionStorage.removeItem(formerKey);
} catch {
  /* no storage, nothing in it */
}

/** Told when the server does not know this browser any more. */
export function onRefused(listener: () => void): () => void {
  refusals.add(listener);
  return () => {
    refusals.delete(listener);
  };
}

export function refused(): void {
  for (const listener of refusals) listener();
}

const arrivals = new Set<() => void>();

/** Told when somebody has signed in. */
export function onSignedIn(listener: () => void): () => void {
  arrivals.add(listener);
  return () => {
    arrivals.delete(listener);
  };
}

// The other tabs have the same cookie: when somebody else signs in, or signs out, they begin
// anew. What was written in them is kept for whoever wrote it.
window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key !== owner || oldValue === newValue) return;
  if (oldValue === null) refused();
  else location.reload();
});

/** Somebody has signed in here. */
export function signedIn(): void {
  for (const listener of arrivals) listener();
}

/** Leaves nothing behind for whoever uses this browser next. */
export function forgetAll(): void {
  for (const kept of ['localStorage', 'sessionStorage'] as const) {
    try {
      forget(window[kept]);
    } catch {
      /* no storage, nothing in it */
    }
  }
}

/** Whether the server let everybody in when it was last asked: then nothing waits for who it is. */
export function knownLocal(): boolean {
  try {
    return localStorage.getItem(owner) === 'local';
  } catch {
    return false;
  }
}

/** The server asks for a sign-in now: the next visit begins with who it is. */
export function notLocal(): void {
  try {
    if (localStorage.getItem(owner) === 'local') localStorage.removeItem(owner);
  } catch {
    /* no storage, nothing in it */
  }
}

/** Drafts wait for the one who wrote them: another person does not get to see them. */
export function greet(id: string): void {
  try {
    const before = localStorage.getItem(owner);
    if (before === id) return;
    if (before !== null && before !== 'local') forgetAll();
    localStorage.setItem(owner, id);
  } catch {
    /* no storage, no drafts */
  }
}
