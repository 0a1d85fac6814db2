// Who is signed in in this browser. The session is a cookie that scripts cannot read; nothing here is secret.
import { storageName } from './base';
import { forget } from './forget';

/** Where earlier versions of the page stored a key. */
const formerKey = storageName('key');
/** The owner of the stored drafts: the id from GET /v1/me. */
const owner = storageName('who');
const refusals = new Set<() => void>();

try {
  sessionStorage.removeItem(formerKey);
} catch {
  /* no storage, so nothing is stored */
}

/** Subscribes to refusals: the server no longer accepts this browser's session. */
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

/** Subscribes to sign-ins on this page. */
export function onSignedIn(listener: () => void): () => void {
  arrivals.add(listener);
  return () => {
    arrivals.delete(listener);
  };
}

// All tabs have the same cookie: when another person signs in, or the person signs out, they reload. Drafts are
// kept for their author.
window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key !== owner || oldValue === newValue) return;
  if (oldValue === null) refused();
  else location.reload();
});

/** Notifies the subscribers of a sign-in. */
export function signedIn(): void {
  for (const listener of arrivals) listener();
}

/** Deletes the person's data from this browser. */
export function forgetAll(): void {
  for (const kept of ['localStorage', 'sessionStorage'] as const) {
    try {
      forget(window[kept]);
    } catch {
      /* no storage, nothing in it */
    }
  }
}

/** Whether the server needed no sign-in when it was last reached: then nothing waits for GET /v1/me. */
export function knownLocal(): boolean {
  try {
    return localStorage.getItem(owner) === 'local';
  } catch {
    return false;
  }
}

/** The server requires a sign-in now: the next visit begins with GET /v1/me. */
export function notLocal(): void {
  try {
    if (localStorage.getItem(owner) === 'local') localStorage.removeItem(owner);
  } catch {
    /* no storage, nothing in it */
  }
}

/** Records who is signed in, and deletes the data of another person. */
export function greet(id: string): void {
  try {
    const before = localStorage.getItem(owner);
    if (before === id) return;
    if (before !== null && before !== 'local') forgetAll();
    localStorage.setItem(owner, id);
  } catch {
    /* no storage, so no drafts */
  }
}
