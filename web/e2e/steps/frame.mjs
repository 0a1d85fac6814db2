import { becomes, check, dark, french, narrow, same, tidy } from '../harness.mjs';

const screens = ['/', '/chat', '/approvals', '/automations', '/runs', '/data', '/usage', '/settings', '/system'];

export const steps = [
  {
    name: 'every screen opens by its address, empty, and is tidy in both themes',
    async run({ open, shot }) {
      for (const look of [{}, dark]) {
        const page = await open(look);
        for (const at of screens) {
          await page.goto(`${new URL(page.url()).origin}/#${at}`);
          await page.locator('#page-title').waitFor();
          await tidy(page, `${at} ${look.colorScheme ?? 'light'}`);
          await shot(page, `empty${at.replaceAll('/', '-')}-${look.colorScheme ?? 'light'}`);
        }
        await page.context().close();
      }
    },
  },
];
