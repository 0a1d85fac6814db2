// Measures layout shifts of a screen while it loads.
import { none } from './harness.mjs';
import { settled } from './screens.mjs';

/** Runs a function for each item, a few at once: the machine has few cores. */
export async function inTurn(list, act, atOnce = 3) {
  const left = [...list];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
    }),
  );
}

// slowly delays each response differently, in a different order each time.
const slowly = (page) =>
  page.route('**/v1/**', async (route) => {
    await new Promise((done) => setTimeout(done, 40 + 70 * Math.floor(5 * Math.random())));
    await route.continue().catch(() => {});
  });

const watchShifts = (page) =>
  page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput)
          globalThis.shifts.push({
            value: entry.value,
            of: entry.sources.map((s) => s.node?.outerHTML?.slice(0, 90)),
          });
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Opens each address with delayed responses, and adds up the layout shifts. */
export async function stands({ open, line }, addresses, options) {
  const moved = [];
  let most = 0;
  const look = async (at, tries) => {
    const page = await open({ base: 'about:blank', ...options });
    page.bad.length = 0; // about:blank is not our host
    await watchShifts(page);
    await slowly(page);
    await page.goto(`${line.url}/#${at}`);
    await settled(page);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const shifts = await page.evaluate(() => globalThis.shifts);
    // A response was slower than the limit of a screen's wait, on a busy machine: try once more.
    const late = await page.evaluate(() => performance.getEntriesByName('fermata:late').length);
    const sum = shifts.reduce((all, one) => all + one.value, 0);
    page.bad = page.bad.filter((bad) => !bad.includes(line.url));
    await page.context().close();
    if (late && sum >= 0.05 && tries > 1) return look(at, tries - 1);
    most = Math.max(most, sum);
    if (sum >= 0.05) moved.push(`${at}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`);
  };
  await inTurn(addresses, (at) => look(at, 4));
  console.log(`      the most that a screen moved: ${most.toFixed(3)}`);
  none(moved, 'these move while they load');
}
