import { lazy, type ComponentType } from 'react';
import { storageName } from '../api/base';

// The number of retries for a part of the page, and their pauses: a restarting server is usually back by then.
const pauses = [500, 1500, 3000];

/** A part of the page could not be loaded. Browsers cache failed imports, so only a reload helps. */
export class Unloaded extends Error {
  constructor(cause: unknown) {
    super('a part of the page could not be fetched', { cause });
    this.name = 'Unloaded';
  }
}

const pause = (ms: number) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

const left = new Set<() => void>(); // parts that are not loaded yet
let begun = false;

/** Loads all parts that were not shown yet, so that they work while the server is unreachable. */
export function preloadAll(): void {
  begun = true;
  for (const preload of left) preload();
  left.clear();
}

/** A screen, or a part of one, that is loaded when it is first shown, or before that when the page is idle. */
export function screen<P extends object>(fetch: () => Promise<{ default: ComponentType<P> }>) {
  const patiently = async () => {
    for (const ms of pauses) {
      try {
        // Sequential by design: each attempt waits for the one before.
        // eslint-disable-next-line no-await-in-loop
        return await fetch();
      } catch {
        // eslint-disable-next-line no-await-in-loop
        await pause(ms);
      }
    }
    return fetch().catch((thrown: unknown) => {
      throw new Unloaded(thrown);
    });
  };
  const preload = () => void fetch().catch(() => {});
  if (begun) preload();
  else left.add(preload);
  return lazy(patiently);
}

const store = storageName('reloaded');
const apart = 30_000;

/** Reloads the page, but not repeatedly: false if it did so a moment ago. Drafts are kept. */
export function reloadOnce(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(store)) < apart) return false;
    sessionStorage.setItem(store, String(Date.now()));
  } catch {
    return false; // the time could not be stored
  }
  location.reload();
  return true;
}
