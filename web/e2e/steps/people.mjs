// People sign in at a real OpenID provider, and see their identity and what their roles allow.
import { execFileSync, spawn } from 'node:child_process';
import { becomes, check, dark, french, narrow, same, tidy, until } from '../harness.mjs';
import { freePort } from '../server.mjs';

const root = 'e2e-root-key-0123456789-0123456789';
const examples = new URL('../../../examples/sign-in/', import.meta.url).pathname;

// provider starts the provider of examples/sign-in for a server; stop ends it.
async function provider(base) {
  const folder = execFileSync(`${examples}install.sh`, { encoding: 'utf8' }).trim().split('\n').at(-1);
  const port = await freePort();
  const child = spawn('node', ['provider.mjs', String(port), `${base}/v1/sign-in/callback`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const issuer = `http://127.0.0.1:${port}`;
  await until('the provider listens', async () => (await fetch(`${issuer}/jwks`).catch(() => null))?.ok);
  return {
    env: {
      FERMATA_ROOT_KEY: root,
      FERMATA_PUBLIC_URL: base,
      FERMATA_OIDC_ISSUER: issuer,
      FERMATA_OIDC_CLIENT_ID: 'fermata',
      FERMATA_OIDC_CLIENT_SECRET: 'a secret to try with',
      FERMATA_OIDC_SCOPES: 'profile',
      FERMATA_OIDC_ROLE_CLAIM: 'groups',
      FERMATA_OIDC_ROLES: 'fermata-admins=admin,staff=member',
    },
    issuer,
    stop: () => child.kill(),
  };
}

// at completes the provider's own pages.
async function at(page, issuer, login) {
  await page.getByRole('link', { name: `Sign in with ${new URL(issuer).host}` }).click();
  await page.waitForURL(`${issuer}/interaction/**`);
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((url) => url.origin !== issuer);
}

// theirs removes what the provider's pages caused from the page's records.
const theirs = (page, issuer) => {
  page.bad = page.bad.filter((text) => !text.includes(issuer) && !/fonts\.googleapis/.test(text));
};

export const steps = [
  {
    name: 'people sign in at the provider, return to their address, see their identity, and sign out',
    async run({ open, freshServer, shot }) {
      let there;
      const server = await freshServer({
        env: async (base) => {
          there = await provider(base);
          return there.env;
        },
        key: root,
      });
      const { issuer } = there;
      try {
        const page = await open({ base: server.base, at: '/usage' });
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await tidy(page, 'sign-in with an issuer');
        await shot(page, 'signin-issuer');
        await at(page, issuer, 'ada');
        await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
        check(new URL(page.url()).hash === '#/usage', `back at ${page.url()}`);
        same(
          await page.evaluate(() => [
            document.cookie,
            Object.keys(sessionStorage).join(),
            localStorage.getItem('fermata.key'),
          ]),
          ['', '', null],
          'what a script can read of it',
        );
        await page.getByRole('link', { name: /Ada Lovelace/ }).click();
        await page.locator('[data-me]', { hasText: 'Ada Lovelace' }).waitFor();
        await page.locator('[data-sign-in]').first().waitFor();
        same(await page.locator('[data-sign-in]').count(), 1, 'where ada is signed in');
        await page.getByRole('link', { name: 'API keys' }).waitFor();
        await tidy(page, 'the reader’s identity');
        await shot(page, 'you-light');
        await page.emulateMedia(dark);
        await shot(page, 'you-dark');

        // Her second browser, which the first one signs out.
        const other = await open({ base: server.base, at: '/settings/you', ...narrow, ...french });
        await other.getByRole('link', { name: /Se connecter avec/ }).waitFor();
        await other.evaluate(() => localStorage.setItem('fermata.lang', 'en'));
        await other.reload();
        await at(other, issuer, 'ada');
        await other.locator('[data-sign-in]').first().waitFor();
        await shot(other, 'you-narrow');
        await other.goto(`${server.base}/#/chat`);
        await other.getByRole('textbox').last().fill('Not sent yet');
        await page.reload();
        const rows = page.locator('[data-sign-in]');
        await until('both are listed', async () => (await rows.count()) === 2);
        await rows
          .filter({ hasNot: page.locator('.badge') })
          .getByRole('button')
          .click();
        await until('one is left', async () => (await rows.count()) === 1);
        await other.reload();
        await other.getByRole('link', { name: /^Sign in with/ }).click(); // the provider still has her session
        await other.waitForURL(`${server.base}/#/chat`);
        await becomes(() => other.getByRole('textbox').last().inputValue(), 'Not sent yet', 'what she had written');

        // A member sees the sections for members, and a note about the others.
        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        const member = await open({ base: server.base, at: '/settings/keys' });
        await at(member, issuer, 'ben');
        await member.locator('[data-admins-only]').waitFor();
        same(await member.getByRole('link', { name: 'API keys' }).count(), 0, 'keys are offered to a member');
        same(await member.getByRole('link', { name: 'System' }).count(), 0, 'the system is offered to a member');
        await tidy(member, 'what is not for a member');
        await shot(member, 'member');

        // A person without a role gets a text of the page's own.
        const guest = await open({ base: server.base });
        await at(guest, issuer, 'eve');
        await guest.locator('[data-code=not_admitted]').waitFor();
        await tidy(guest, 'eve has no role');
        await shot(guest, 'not-admitted');
        for (const one of [page, other, member, guest]) theirs(one, issuer);
      } finally {
        there.stop();
      }
    },
  },
];
