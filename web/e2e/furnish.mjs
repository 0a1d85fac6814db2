// Fills a server with realistic data: for screenshots, and for tests of full screens.
import http from 'node:http';
import { check, until } from './harness.mjs';

const day = 86_400_000;
const ago = (days, hour = 7) => {
  const d = new Date(Date.now() - days * day);
  d.setUTCHours(hour, 0, 0, 0);
  return d.toISOString();
};

// The nights of a month, with a slow wave and some short ones.
const nights = Array.from(
  { length: 30 },
  (_, i) => Math.round((7.3 + 0.7 * Math.sin(i / 4.5) - (i % 9 === 4 ? 1.6 : 0) + ((i * 7) % 5) / 10) * 4) / 4,
);
const weights = Array.from({ length: 14 }, (_, i) => Math.round((74.8 - i * 0.12 + (i % 3) * 0.2) * 10) / 10);

async function data(call, w) {
  const zone = (name, description, colour) => call('POST', '/v1/zones', { name, description, colour });
  const health = await zone(
    w('Health', 'Santé'),
    w('Sleep, weight and how it feels.', 'Sommeil, poids et forme.'),
    '#2f855a',
  );
  const home = await zone(w('Home', 'Maison'), w('What the household needs.', 'Ce qu’il faut au foyer.'), '#b7791f');
  const tool = (zone_id, tool_type, name, config = {}) =>
    call('POST', '/v1/tools', { zone_id, tool_type, name, config });
  const add = (made, entries) => call('POST', `/v1/tools/${made.id}/entries/batch`, { entries });
  const sleep = await tool(health.id, 'tracking', w('Sleep', 'Sommeil'), { unit: 'h', min: 0, max: 24 });
  await add(
    sleep,
    nights.map((value, i) => ({ timestamp: ago(30 - i), data: { value } })),
  );
  const weight = await tool(health.id, 'tracking', w('Weight', 'Poids'), { unit: 'kg' });
  await add(
    weight,
    weights.map((value, i) => ({ timestamp: ago(28 - 2 * i), data: { value } })),
  );
  const list = await tool(home.id, 'checklist', w('Shopping list', 'Liste de courses'));
  await add(
    list,
    [w('Milk', 'Lait'), w('Bread', 'Pain'), w('Coffee', 'Café'), w('Apples', 'Pommes')].map((text, i) => ({
      timestamp: ago(1, 10 + i),
      data: { text, done: i < 2 },
    })),
  );
  const notes = await tool(home.id, 'notes', 'Notes');
  await add(notes, [
    {
      timestamp: ago(3),
      data: {
        title: w('Plumber', 'Plombier'),
        text: w('Call before ten; the tap in the kitchen drips.', 'Appeler avant dix heures ; le robinet goutte.'),
      },
    },
  ]);
  return { health, home, sleep, list, notes };
}

async function automations(call, w) {
  const make = (name, text, schedule, more = {}) =>
    call('POST', '/v1/automations', { name, seed: { text }, schedule, ...more });
  const cron = (expression) => ({ type: 'cron', expression, time_zone: 'Europe/Paris' });
  const alert = await make(
    w('Alert', 'Alerte'),
    w('take a note: an alert came', 'prends une note : une alerte'),
    null,
    {
      triggers: [{ type: 'webhook', condition: { required: ['level'] } }],
    },
  );
  const paused = await make(
    w('Evening list', 'Liste du soir'),
    w('show the shopping list', 'montre la liste de courses'),
    cron('0 19 * * *'),
  );
  await call('POST', `/v1/automations/${paused.id}/disable`);
  await make(
    w('Sleep of the week', 'Sommeil de la semaine'),
    w('stats of sleep for the last 7 days by day', 'statistiques du sommeil sur les 7 derniers jours par jour'),
    cron('0 18 * * sun'),
  );
  const morning = await make(
    w('Morning review', 'Revue du matin'),
    w(
      'show the last 3 entries of sleep, then show the shopping list',
      'montre les 3 dernières entrées du sommeil, puis montre la liste de courses',
    ),
    cron('30 7 * * mon-fri'),
    { tags: [w('daily', 'quotidien')] },
  );
  for (const [made, times] of [
    [morning, 3],
    [alert, 1],
  ]) {
    for (let n = 1; n <= times; n++) {
      await call('POST', `/v1/automations/${made.id}/execute`);
      await until(`run ${n} of ${made.name} has ended`, async () => {
        const { data } = await call('GET', `/v1/automations/${made.id}/executions`);
        return data.length === n && data.every((run) => run.end_reason);
      });
    }
  }
  return { morning, runs: (await call('GET', `/v1/automations/${morning.id}/executions`)).data };
}

// chat sends messages in turn, each after the answer to the one before.
async function chat(call, name, ...sentences) {
  const { id } = await call('POST', '/v1/sessions', { type: 'CHAT', name });
  for (const text of sentences) {
    await call('POST', `/v1/sessions/${id}/messages`, { text });
    await until(`“${text}” was answered`, async () => {
      const { status, last_seq } = await call('GET', `/v1/sessions/${id}`);
      const waiting = (await call('GET', `/v1/approvals?status=open&session_id=${id}`)).data.length > 0;
      return (
        last_seq > 0 &&
        (waiting || status === 'idle') &&
        (await call('GET', `/v1/sessions/${id}/messages?limit=200`)).data.some((m) => m.sender === 'AI')
      );
    });
  }
  return id;
}

// waiting creates a run that waits for an approval and blocks nothing.
async function waiting(call, w) {
  const { id } = await call('POST', '/v1/automations', {
    name: w('Weekly shop', 'Courses'),
    seed: { text: w('add eggs and rice to the shopping list', 'ajoute des œufs et du riz à la liste de courses') },
    require_validation: true,
  });
  const { session } = await call('POST', `/v1/automations/${id}/execute`);
  await until('a run asks', async () => (await call('GET', '/v1/approvals?status=open')).data.length > 0);
  return session.id;
}

// busy starts an automation whose model does not answer: the next chat takes the slot from it.
async function busy(call, w) {
  const model = http
    .createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    })
    .unref();
  await new Promise((done) => model.listen(0, '127.0.0.1', done));
  const slow = await call('POST', '/v1/providers', {
    name: 'Local',
    kind: 'openai_compatible',
    config: { base_url: `http://127.0.0.1:${model.address().port}/v1`, model: 'small' },
  });
  const { id } = await call('POST', '/v1/automations', {
    name: w('Plan of the week', 'Programme de la semaine'),
    seed: { text: w('plan my week', 'prévois ma semaine') },
    provider_id: slow.id,
  });
  await call('POST', `/v1/automations/${id}/execute`);
  await until('the automation is at work', async () => {
    const { holder, phase } = await call('GET', '/v1/slot');
    return holder?.automation_id === id && phase === 'CALLING_AI';
  });
  await call('PATCH', '/v1/settings', { chat_eviction_after: '5m' });
}

const inEnglish = (en) => en;
/** French texts for furnish. */
export const inFrench = (_, fr) => fr;

/** Fills an empty server. Returns some of the created objects, and the addresses of screens. `w` selects the texts:
 * `inFrench`, or English. */
export async function furnish(call, w = inEnglish) {
  await call('PATCH', '/v1/settings', {
    ...(w === inFrench && { language: 'fr' }),
    time_zone: 'Europe/Paris',
    chat_eviction_after: '1s',
    completion_confirmation_delay: '0s',
  });
  await call('POST', '/v1/providers', { name: 'Demo', kind: 'demo', is_default: true, config: { word_delay_ms: 0 } });
  const things = await data(call, w);
  const parked = await waiting(call, w);
  const { morning, runs } = await automations(call, w);
  await busy(call, w);
  const asks = await chat(
    call,
    w('How do I sleep?', 'Comment je dors ?'),
    w('stats of sleep for the last 30 days by week', 'statistiques du sommeil sur les 30 derniers jours par semaine'),
    w('change the last entry of sleep to 6.5', 'change la dernière entrée du sommeil en 6,5'),
  );
  const document = await call('POST', '/v1/documents', {
    key: w('house-rules', 'regles'),
    title: w('House rules', 'Règles'),
    body: w('Shoes off. No music after ten.', 'Sans chaussures. Pas de musique après dix heures.'),
  });
  check((await call('GET', '/v1/approvals?status=open')).data.length === 2, 'two things wait for a person');
  const addresses = [
    '/',
    `/chat/${asks}`,
    `/chat/${parked}`,
    '/approvals',
    '/automations',
    '/automations/new',
    `/automations/${morning.id}`,
    '/runs',
    `/timeline/${runs[0].session_id}`,
    '/data',
    `/data/zones/${things.health.id}`,
    `/data/tools/${things.sleep.id}`,
    `/data/tools/${things.list.id}`,
    `/data/documents/${document.id}`,
    '/usage',
    '/settings/validation',
    '/system',
  ];
  return { ...things, morning, runs, asks, parked, document, addresses };
}

/** Like furnish, with content in every section of the settings too. `addresses` contains every screen of the page. */
export async function furnishAll(call, w = inEnglish) {
  const made = await furnish(call, w);
  const connector = await call('POST', '/v1/connectors', {
    name: w('Weather', 'Météo'),
    prefix: w('WEATHER', 'METEO'),
    kind: 'mcp',
    config: { url: 'https://weather.example/mcp' },
  });
  const agent = await call('POST', '/v1/agents', {
    name: w('Gardener', 'Jardinier'),
    description: w('Knows about plants.', 'Connaît les plantes.'),
    system_prompt: w('You know about plants.', 'Tu connais les plantes.'),
    commands: [],
  });
  await call('POST', '/v1/webhooks', {
    url: 'https://hooks.example/fermata',
    types: ['session.ended'],
  });
  const sections = [
    'providers',
    'limits',
    'budgets',
    'automations',
    'network',
    'calendar',
    'prompts',
    'connectors',
    `connectors/${connector.id}`,
    'agents',
    `agents/${agent.id}`,
    'keys',
    'webhooks',
    'told',
    'you',
    'page',
  ];
  const more = ['/chat', '/runs/failed', '/tasks', '/data/types', '/data/documents', `/timeline/${made.asks}`];
  return {
    ...made,
    connector,
    agent,
    addresses: [
      ...made.addresses,
      ...more,
      `/automations/${made.morning.id}/edit`,
      ...sections.map((name) => `/settings/${name}`),
    ],
  };
}
