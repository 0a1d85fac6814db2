import { lazy, type ComponentType } from 'react';
import { storageName } from '../api/base';

// How often a part of the page is asked for again, and how long after: a server that restarts
// is mostly back by then.
const pauses = [500, 1500, 3000];

/** A part of the page could not be fetched. The browser keeps what failed, so only a reload helps. */
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

const left = new Set<() => void>(); // what has not been fetched before it is shown
let begun = false;

/** Fetches all that was not shown yet, and what belongs to it, so that it is there if the server is not. */
export function preloadAll(): void {
  begun = true;
  for (const preload of left) preload();
  left.clear();
}

/** A screen, or a part of one, that is fetched when it is first shown, or before, when there is nothing else to do. */
export function screen<P extends object>(fetch: () => Promise<{ default: ComponentType<P> }>) {
  const patiently = async () => {
    for (const ms of pauses) {
      try {
        // Each try waits for the one before: that is the point.
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

/** Loads the page again, but not over and over: false where it was done a moment ago. What is
 * written is kept. */
export function reloadOnce(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(store)) < apart) return false;
    sessionStorage.setItem(store, String(Date.now()));
  } catch {
    return false; // nothing would remember it
  }
  location.reload();
  return true;
}
