const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;

/** A short name of the browser and system from a user agent string. */
export function browserName(text: string): string {
  const browser = browsers.find((name) => text.includes(name));
  const system = systems.find((name) => text.includes(name));
  return [browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser, system].filter(Boolean).join(' · ');
}
