// Creates docs/images, the screenshots of README, from a furnished server.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { furnish } from './furnish.mjs';
import { go, settled } from './screens.mjs';
import { World } from './world.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const images = process.env.IMAGES ?? join(root, 'docs/images');
const heaviest = 150_000; // the maximum size in bytes: a README has to load fast

// A typeface like those of common systems: the machines that take the screenshots often have only a monospaced one.
function typeface() {
  const fonts = join(root, '.cache/fonts');
  execFileSync(
    'npm',
    [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--prefix',
      fonts,
      '@expo-google-fonts/inter@0.4.2',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const conf = join(tmpdir(), 'fermata-fonts.conf');
  writeFileSync(
    conf,
    `<?xml version="1.0"?><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${fonts}/node_modules/@expo-google-fonts/inter</dir>
${['system-ui', 'sans-serif'].map((name) => `<match target="pattern"><test name="family"><string>${name}</string></test><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>`).join('\n')}
</fontconfig>\n`,
  );
  process.env.FONTCONFIG_FILE = conf;
}

async function pictures(world, made) {
  const page = await world.open({ timezoneId: 'Europe/Paris' });
  const shots = [
    ['home', '/'],
    ['chat', `/chat/${made.asks}`],
    ['automations', '/automations'],
    ['chart', `/data/tools/${made.sleep.id}`],
  ];
  for (const [name, at] of shots) {
    await go(page, at);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(() => {
        document.activeElement?.blur();
        return document.fonts.ready;
      });
      await settled(page);
      const path = join(images, `${name}-${colorScheme}.png`);
      await page.screenshot({ path, animations: 'disabled' });
      const { size } = statSync(path);
      console.log(`${path.replace(root, '')} ${Math.round(size / 1000)} kB`);
      if (size > heaviest) throw new Error(`${path} has ${size} bytes, more than ${heaviest}`);
    }
  }
}

mkdirSync(images, { recursive: true });
typeface();
const world = await World.make();
try {
  await pictures(world, await furnish(world.call));
  world.judge();
} finally {
  await world.end();
}
