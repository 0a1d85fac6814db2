/** Runs a function when the browser has nothing else to do. */
export function whenIdle(run: () => void) {
  if (globalThis.requestIdleCallback) globalThis.requestIdleCallback(run);
  else setTimeout(run, 2000);
}
