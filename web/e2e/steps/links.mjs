import { becomes, check, dark, french, narrow, same, tidy } from '../harness.mjs';

const quick = async (call) => {
  await call('POST', '/v1/providers', { name: 'Quick', kind: 'demo', is_default: true, config: { word_delay_ms: 0 } });
  await call('PATCH', '/v1/settings', { require_validation: true });
};

// asked has a session request a zone, and returns the approval with a link to it.
async function asked(call, name) {
  const session = (await call('POST', '/v1/sessions', { name })).id;
  await call('POST', `/v1/sessions/${session}/messages`, { text: `create a zone ${name}` });
  let found;
  await becomes(
    async () => {
      found = (await call('GET', '/v1/approvals?status=open&limit=200')).data.find((a) => a.session_id === session);
      return Boolean(found);
    },
    true,
    `${name} is asked for`,
  );
  const { url } = await call('POST', `/v1/approvals/${found.id}/link`, { recipient: 'ada@example.org' });
  return { id: found.id, path: new URL(url).pathname };
}

// at opens the address of a link, which is outside the page.
const at = async ({ open, line }, path, look = {}) => {
  const page = await open(look);
  await page.goto(line.url + path);
  return page;
};

const status = async (call, id) => (await call('GET', `/v1/approvals/${id}`)).status;

// A mail gateway that renders the page in a browser, and clicks everything by script.
const scan = () => {
  const form = document.querySelector('form');
  const buttons = [...document.querySelectorAll('button[name=answer]')];
  buttons.forEach((b) => b.click());
  buttons.forEach((b) => b.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })));
  form?.requestSubmit(buttons[0]);
  return buttons.length;
};

export const steps = [
  {
    name: 'a browser that runs a link’s script and clicks by script decides nothing, a person does',
    async run(world) {
      const { call, shot } = world;
      await quick(call);
      const { id, path } = await asked(call, 'Garden');
      for (let i = 0; i < 20; i += 1) {
        const scanner = await at(world, path);
        same(await scanner.evaluate(scan), 2, 'the buttons that it pressed');
        await scanner.evaluate(() => HTMLFormElement.prototype.submit.call(document.querySelector('form')));
        await scanner.getByText('Nothing was decided').waitFor();
        scanner.bad.length = 0; // the expected 403
        await scanner.context().close();
      }
      same(await status(call, id), 'open', 'after the scanners');
      for (const look of [narrow, { ...dark, ...narrow, ...french }, dark]) {
        const page = await at(world, path, look);
        await page.locator('form').waitFor();
        await tidy(page, `the page of a link ${look.colorScheme ?? 'light'} ${look.locale ?? ''}`);
        await shot(
          page,
          `link-${look.colorScheme ?? 'light'}-${look.locale ?? 'en'}-${look.viewport ? 'narrow' : 'wide'}`,
        );
        await page.context().close();
      }
      const page = await at(world, path, narrow);
      await page.getByRole('button', { name: 'Approve' }).dblclick();
      await page.getByText(/Approved by the link sent to ada@example.org/).waitFor();
      same(await status(call, id), 'approved', 'after a doubled click');
      await tidy(page, 'what was settled');
      await shot(page, 'link-settled');
    },
  },
  {
    name: 'a link is answered by keyboard only, and without scripts by digits',
    async run(world) {
      const { call } = world;
      await quick(call);
      const keys = await asked(call, 'Kitchen');
      const page = await at(world, keys.path);
      await page.getByRole('button', { name: 'Refuse' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText(/Refused by the link/).waitFor();
      same(await status(call, keys.id), 'refused', 'by keys');

      const figures = await asked(call, 'Cellar');
      const plain = await at(world, figures.path, { javaScriptEnabled: false });
      await plain.getByRole('button', { name: 'Approve' }).click();
      await plain.getByText('Nothing was decided').waitFor();
      same(await status(call, figures.id), 'open', 'without the figures');
      const shown = await plain.locator('label[for=figures] bdi').innerText();
      check(/^[0-9]{6}$/.test(shown), `the figures are ${shown}`);
      await plain.locator('#figures').fill(shown);
      await plain.getByRole('button', { name: 'Approve' }).click();
      await plain.getByText(/Approved by the link/).waitFor();
      same(await status(call, figures.id), 'approved', 'with the figures');
      plain.bad.length = 0; // the 403 of the first attempt
    },
  },
];
