// The page's screens: the only list of their addresses, with their names in the menu.
export const screens = [
  { at: '/', en: 'Home', fr: 'Accueil' },
  { at: '/chat', en: 'Chat', fr: 'Conversations' },
  { at: '/approvals', en: 'Approvals', fr: 'Approbations' },
  { at: '/automations', en: 'Automations', fr: 'Automatisations' },
  { at: '/runs', en: 'Runs', fr: 'Exécutions' },
  { at: '/data', en: 'Data', fr: 'Données' },
  { at: '/usage', en: 'Usage', fr: 'Consommation' },
  { at: '/settings', en: 'Settings', fr: 'Réglages' },
  { at: '/system', en: 'System', fr: 'Système' },
];

/** Opens an address as if typed, and waits until its screen has settled. */
export async function go(page, at) {
  await page.evaluate((to) => {
    location.hash = to;
  }, at);
  await settled(page);
}

/** Waits until the screen has its title and loads nothing. */
export async function settled(page) {
  await page.locator('#page-title').waitFor();
  await page.waitForFunction(() => !document.querySelector('[data-loading]'), null, { timeout: 15000 });
}

const parts = ['home', 'EveryDay', 'Newcomer', 'chat', 'data', 'usage', 'timeline', 'system', 'ChartCanvas', 'Palette'];

/** Records whether the page has loaded all of its parts, as it does when it is idle. */
export function watchParts(page) {
  const going = new Set();
  const done = new Set();
  const name = (request) => /assets\/([^/]+?)-[\w-]{8}\./.exec(request.url())?.[1];
  page.on('request', (request) => name(request) && going.add(request));
  for (const end of ['requestfinished', 'requestfailed'])
    page.on(end, (request) => {
      going.delete(request);
      done.add(name(request));
    });
  return () => going.size === 0 && parts.every((part) => done.has(part));
}
