// What this browser remembers of the first steps.
const hidden = 'fermata.steps.hidden';
const demo = 'fermata.steps.demo';

function get(key: string): boolean {
  try {
    return localStorage.getItem(key) === '1';
  } catch {
    return false;
  }
}
function set(key: string): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    /* asked again next time */
  }
}

export const stepsHidden = () => get(hidden);
export const hideSteps = () => set(hidden);
export const demoChosen = () => get(demo);
export const chooseDemo = () => set(demo);

/** The time zone of this browser, for what is made with one click. */
export function browserZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone && zone !== 'Etc/Unknown' ? zone : 'UTC';
}
