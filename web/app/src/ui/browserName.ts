const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;

/** The little that is of use of what a browser calls itself. */
export function browserName(text: string): string {
  const browser = browsers.find((name) => text.includes(name));
  const system = systems.find((name) => text.includes(name));
  return [browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser, system].filter(Boolean).join(' · ');
}
