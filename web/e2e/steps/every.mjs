// Requirements for every screen: no layout shifts while it loads, and isolation of right-to-left names.
import { narrow, none, noSideScroll, until } from '../harness.mjs';
import { furnishAll } from '../furnish.mjs';
import { Model } from '../model.mjs';
import { go } from '../screens.mjs';
import { stands } from '../shifts.mjs';

const corners = ['providers', 'limits', 'prompts', 'connectors', 'agents', 'keys', 'webhooks', 'you', 'page'];
const more = ['/tasks', '/data/types', '/data/documents', ...corners.map((name) => `/settings/${name}`)];

// mixed finds blocks with a Hebrew name that is not isolated from the page's text.
const mixed = () => {
  const turned = /[\u0590-\u05ff\u202e]/;
  const inline = (e) => getComputedStyle(e).display === 'inline';
  const words = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches('.visually-hidden')) return ' ';
    const apart = node.tagName === 'BDI' || /isolate|plaintext/.test(getComputedStyle(node).unicodeBidi);
    return !inline(node) || apart ? ' ' : [...node.childNodes].map(words).join('');
  };
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!turned.test(node.data)) continue;
    let block = node.parentElement;
    while (inline(block)) block = block.parentElement;
    if (block.closest('script, textarea, select, .md, .preserve, [aria-hidden="true"]')) continue;
    const text = [...block.childNodes]
      .map(words)
      .join('')
      .replace(/\u2068[^\u2069]*\u2069/g, '');
    if (turned.test(text) && /[a-z]{2}/i.test(text)) found.add(`${block.outerHTML.slice(0, 160)}`);
  }
  return [...found];
};

// The fields of the API with names and texts of people and other programs.
const said =
  /^(name|title|description|text|snippet|summary|label|status_detail|detail|tool_name|zone_name|key|url|model)$/;

// swollen replaces each of these with ten thousand letters without a break.
const swollen = (value, of = '') =>
  Array.isArray(value)
    ? value.map((one) => swollen(one, of))
    : value && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, swollen(one, name)]))
      : typeof value === 'string' && value && said.test(of)
        ? 'n'.repeat(10_000)
        : value;

export const steps = [
  {
    name: 'names and texts of ten thousand letters in every response break no screen, on a phone',
    lasts: 300_000,
    async run({ open, freshServer, shot }) {
      const { base, call } = await freshServer();
      const { addresses } = await furnishAll(call);
      const page = await open({ base, ...narrow });
      await page.route(
        ({ pathname }) => pathname.startsWith('/v1/') && pathname !== '/v1/events',
        async (route) => {
          if (route.request().method() !== 'GET') return route.continue();
          const answer = await route.fetch().catch(() => null);
          if (!answer) return route.abort();
          const json = answer.ok() && /json/.test(answer.headers()['content-type']) ? await answer.json() : null;
          return route.fulfill(json ? { response: answer, json: swollen(json) } : { response: answer });
        },
      );
      const wrong = [];
      for (const at of addresses) {
        await go(page, at).catch(() => wrong.push(`${at}: it does not come`));
        await noSideScroll(page, `${at} with long names`).catch((error) => wrong.push(error.message));
        if (await page.getByText('Something went wrong').count()) wrong.push(`${at}: it broke`);
        await shot(page, `long${at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-')}`);
      }
      none(wrong, 'what long names break');
    },
  },
  {
    name: 'no empty section of the settings moves while it loads',
    run: (world) => stands(world, more),
  },
  {
    name: 'right-to-left names and an answer of a megabyte break no screen',
    async run({ open, freshServer, shot }) {
      const server = await freshServer();
      const odd = 'דוח שבועי';
      const turned = 'דוח\u202e שבועי'; // the server accepts it in texts, not in names
      const zone = await server.call('POST', '/v1/zones', { name: odd, description: odd });
      const tool = await server.call('POST', '/v1/tools', {
        zone_id: zone.id,
        tool_type: 'notes',
        name: odd,
        config: {},
      });
      await server.call('POST', `/v1/tools/${tool.id}/entries`, {
        data: { title: odd, text: `${turned}\n`.repeat(4000) },
      });
      await server.call('POST', '/v1/documents', { key: 'odd', title: odd, body: turned.repeat(2000) });
      const automation = await server.call('POST', '/v1/automations', {
        name: odd,
        seed: { text: turned },
        tags: [odd],
      });
      await server.call('POST', '/v1/connectors', {
        name: odd,
        prefix: 'ODD',
        kind: 'mcp',
        config: { url: 'https://odd.example/mcp' },
      });
      await server.call('POST', '/v1/agents', { name: 'Odd', description: odd, system_prompt: odd, commands: [] });
      await server.call('PATCH', '/v1/settings', { require_validation: true });
      const chat = await server.call('POST', '/v1/sessions', { name: odd, message: `create a zone ${odd}` });
      await server.call('POST', `/v1/automations/${automation.id}/execute`);
      const model = await new Model(() => ({ text: `${turned} ${'x'.repeat(1000)}\n\n`.repeat(1000) })).open();
      await model.serve(server.call);
      const long = await server.call('POST', '/v1/sessions', { name: odd, message: turned });
      await until('a megabyte was answered', async () => {
        const { data } = await server.call('GET', `/v1/sessions/${long.id}/messages?limit=20`);
        return data.some((m) => m.sender === 'AI');
      });
      model.close();
      const addresses = [
        `/chat/${long.id}`,
        `/timeline/${long.id}`,
        '/',
        '/chat',
        `/chat/${chat.id}`,
        '/approvals',
        '/automations',
        `/automations/${automation.id}`,
        '/runs',
        `/timeline/${chat.id}`,
        '/data',
        `/data/zones/${zone.id}`,
        `/data/tools/${tool.id}`,
        '/data/documents',
        '/usage',
        '/settings/validation',
        '/settings/connectors',
        '/settings/agents',
        '/tasks',
        '/system',
      ];
      const page = await open({ base: server.base });
      const wrong = [];
      for (const at of addresses) {
        await go(page, at);
        wrong.push(...(await page.evaluate(mixed)).map((html) => `${at}: ${html}`));
        await page.setViewportSize(narrow.viewport);
        await noSideScroll(page, `${at} with names from right to left`);
        await shot(page, `odd${at.replace(/_[0-9a-f]+/g, '').replaceAll('/', '-')}`);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      page.bad = page.bad.filter((bad) => !bad.includes(server.base));
      none(wrong, 'names that could turn the words beside them');
    },
  },
];
