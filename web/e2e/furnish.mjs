// A server with a life in it: for pictures, and for looking at every screen when it is full.
import http from 'node:http';
import { check, until } from './harness.mjs';

const day = 86_400_000;
const ago = (days, hour = 7) => {
  const d = new Date(Date.now() - days * day);
  d.setUTCHours(hour, 0, 0, 0);
  return d.toISOString();
};

// The nights of a month, with a slow wave and some that were short.
const nights = Array.from(
  { length: 30 },
  (_, i) => Math.round((7.3 + 0.7 * Math.sin(i / 4.5) - (i % 9 === 4 ? 1.6 : 0) + ((i * 7) % 5) / 10) * 4) / 4,
);
const weights = Array.from({ length: 14 }, (_, i) => Math.round((74.8 - i * 0.12 + (i % 3) * 0.2) * 10) / 10);

async function data(call) {
  const zone = (name, description, colour) => call('POST', '/v1/zones', { name, description, colour });
  const health = await zone('Health', 'Sleep, weight and how it feels.', '#2f855a');
  const home = await zone('Home', 'What the household needs.', '#b7791f');
  const tool = (zone_id, tool_type, name, config = {}) =>
    call('POST', '/v1/tools', { zone_id, tool_type, name, config });
  const add = (made, entries) => call('POST', `/v1/tools/${made.id}/entries/batch`, { entries });
  const sleep = await tool(health.id, 'tracking', 'Sleep', { unit: 'h', min: 0, max: 24 });
  await add(
    sleep,
    nights.map((value, i) => ({ timestamp: ago(30 - i), data: { value } })),
  );
  const weight = await tool(health.id, 'tracking', 'Weight', { unit: 'kg' });
  await add(
    weight,
    weights.map((value, i) => ({ timestamp: ago(28 - 2 * i), data: { value } })),
  );
  const list = await tool(home.id, 'checklist', 'Shopping list');
  await add(
    list,
    ['Milk', 'Bread', 'Coffee', 'Apples'].map((text, i) => ({
      timestamp: ago(1, 10 + i),
      data: { text, done: i < 2 },
    })),
  );
  const notes = await tool(home.id, 'notes', 'Notes');
  await add(notes, [
    { timestamp: ago(3), data: { title: 'Plumber', text: 'Call before ten; the tap in the kitchen drips.' } },
  ]);
  return { health, home, sleep, list, notes };
}

async function automations(call) {
  const make = (name, text, schedule, more = {}) =>
    call('POST', '/v1/automations', { name, seed: { text }, schedule, ...more });
  const cron = (expression) => ({ type: 'cron', expression, time_zone: 'Europe/Paris' });
  const alert = await make('Alert', 'take a note: an alert came', null, {
    triggers: [{ type: 'webhook', condition: { required: ['level'] } }],
  });
  const paused = await make('Evening list', 'show the shopping list', cron('0 19 * * *'));
  await call('POST', `/v1/automations/${paused.id}/disable`);
  await make('Sleep of the week', 'stats of sleep for the last 7 days by day', cron('0 18 * * sun'));
  const morning = await make(
    'Morning review',
    'show the last 3 entries of sleep, then show the shopping list',
    cron('30 7 * * mon-fri'),
    { tags: ['daily'] },
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

// chat says sentences, one after the other, each when the one before was answered.
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

// waiting is a run that stopped to ask, and holds nobody up meanwhile.
async function waiting(call) {
  const { id } = await call('POST', '/v1/automations', {
    name: 'Weekly shop',
    seed: { text: 'add eggs and rice to the shopping list' },
    require_validation: true,
  });
  const { session } = await call('POST', `/v1/automations/${id}/execute`);
  await until('a run asks', async () => (await call('GET', '/v1/approvals?status=open')).data.length > 0);
  return session.id;
}

// busy has an automation wait for a model that does not answer: the next chat takes the slot from it.
async function busy(call) {
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
    name: 'Plan of the week',
    seed: { text: 'plan my week' },
    provider_id: slow.id,
  });
  await call('POST', `/v1/automations/${id}/execute`);
  await until('the automation is at work', async () => {
    const { holder, phase } = await call('GET', '/v1/slot');
    return holder?.automation_id === id && phase === 'CALLING_AI';
  });
  await call('PATCH', '/v1/settings', { chat_eviction_after: '5m' });
}

/** Fills an empty server. What is given back names some of what was made, and the addresses to look at. */
export async function furnish(call) {
  await call('PATCH', '/v1/settings', {
    time_zone: 'Europe/Paris',
    chat_eviction_after: '1s',
    completion_confirmation_delay: '0s',
  });
  await call('POST', '/v1/providers', { name: 'Demo', kind: 'demo', is_default: true, config: { word_delay_ms: 0 } });
  const things = await data(call);
  const parked = await waiting(call);
  const { morning, runs } = await automations(call);
  await busy(call);
  const asks = await chat(
    call,
    'How do I sleep?',
    'stats of sleep for the last 30 days by week',
    'change the last entry of sleep to 6.5',
  );
  const document = await call('POST', '/v1/documents', {
    key: 'house-rules',
    title: 'House rules',
    body: 'Shoes off. No music after ten.',
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

/** As furnish, with something in every corner of the settings too. `addresses` has every screen of the page. */
export async function furnishAll(call) {
  const made = await furnish(call);
  const connector = await call('POST', '/v1/connectors', {
    name: 'Weather',
    prefix: 'WEATHER',
    kind: 'mcp',
    config: { url: 'https://weather.example/mcp' },
  });
  const agent = await call('POST', '/v1/agents', {
    name: 'Gardener',
    description: 'Knows about plants.',
    system_prompt: 'You know about plants.',
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
