import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeBrowser, type FakeTab } from './testing/browser';
import { FakeServer } from './testing/server';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const names = (tab: FakeTab) => tab.events.map((event) => event.name);

describe.each([
  ['locks', true],
  ['claims', false],
])('tabs of one browser, led by %s', (_, locks) => {
  let server: FakeServer;
  let browser: FakeBrowser;
  beforeEach(() => {
    let seed = 7;
    server = new FakeServer(() => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    });
    browser = new FakeBrowser(server, { locks });
  });

  const openTabs = async (n: number) => {
    const tabs = Array.from({ length: n }, () => browser.open());
    await pass(1500);
    return tabs;
  };

  test('eight tabs share one stream, and each receives everything', async () => {
    const tabs = await openTabs(8);
    expect(browser.leaders).toHaveLength(1);
    expect(server.sources.size).toBe(1);
    for (const tab of tabs) expect(tab.client.connection().state).toBe('open');
    const seqs = [server.record('slot.changed'), server.record('notice'), server.record('slot.changed')];
    await pass(100);
    for (const tab of tabs) expect(tab.seqs).toEqual(seqs);
    expect(server.most).toBe(1);
  });

  test('the watched sessions are one set; the stream is reconnected when it grows, and later when it shrinks', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    const end = a.client.watch('ses_1');
    b.client.watch('ses_1');
    await pass(200);
    expect(server.joins.at(-1)!.sessions).toEqual(['ses_1']);
    const before = server.joins.length;
    const endTwo = b.client.watch('ses_2');
    b.client.watch('ses_2');
    await pass(200);
    expect(server.joins.length).toBe(before + 1);
    expect(server.joins.at(-1)!.sessions.toSorted()).toEqual(['ses_1', 'ses_2']);
    endTwo();
    end();
    await pass(40_000);
    expect(server.joins.at(-1)!.sessions.toSorted()).toEqual(['ses_1', 'ses_2']); // ses_2 is watched once more
    b.close();
    await pass(40_000);
    expect(server.joins.at(-1)!.sessions).toEqual([]);
    expect(server.joins.at(-1)!.after).not.toBeNull();
  });

  test('a newly watched session is announced, so that it is reloaded; others are not', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    const opens = [a.opens.length, b.opens.length];
    a.client.watch('ses_1');
    await pass(300);
    expect(a.opens.slice(opens[0])).toEqual([expect.objectContaining({ continued: false, of: ['ses_1'] })]);
    expect(b.opens.slice(opens[1])).toEqual([expect.objectContaining({ continued: true })]);
    b.client.watch('ses_1'); // is followed already
    await pass(300);
    expect(b.opens).toHaveLength(opens[1]! + 1);
  });

  test('a tab opened in mid-answer receives the text so far, without a reconnection', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    a.client.watch('ses_1');
    await pass(300);
    server.write('ses_1', 'Bonjour, ');
    await pass(50);
    const joins = server.joins.length;
    const b = browser.open();
    b.client.watch('ses_1');
    for (const piece of ['le 🌍 ', 'va ', 'bien', '.']) {
      server.write('ses_1', piece);
      await pass(17);
    }
    await pass(1000);
    expect(b.shown('msg_1')).toBe('Bonjour, le 🌍 va bien.');
    expect(a.shown('msg_1')).toBe('Bonjour, le 🌍 va bien.');
    expect(names(a).filter((name) => name === 'message.delta')).toHaveLength(5);
    expect(server.joins.length).toBe(joins);
  });

  test('a tab opened or resumed while an answer pauses receives the text so far', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    for (const tab of [a, b]) tab.client.watch('ses_1');
    await pass(300);
    server.write('ses_1', 'It thinks about');
    await pass(50);
    const late = browser.open();
    await pass(500);
    late.client.watch('ses_1');
    const later = browser.open();
    later.client.watch('ses_1');
    await pass(500);
    const follower = a.client.leads ? b : a;
    follower.client.leave();
    server.write('ses_1', ' it');
    await pass(50);
    follower.client.enter();
    await pass(500);
    for (const tab of [a, b, late, later]) expect(tab.shown('msg_1')).toBe('It thinks about it');
  });

  test.each(['close', 'crash'] as const)(
    'the leader leaves in mid-answer (%s): another takes over, nothing is lost or duplicated',
    async (how) => {
      const tabs = await openTabs(4);
      for (const tab of tabs) tab.client.watch('ses_1');
      await pass(300);
      const write = async (n: number) => {
        for (let i = 0; i < n; i++) {
          server.write('ses_1', `word${i} `);
          server.record('session.phase', 'ses_1');
          await pass(40);
        }
      };
      await write(10);
      const old = browser.leaders[0]!;
      const opens = new Map(tabs.map((tab) => [tab, tab.opens.length]));
      old[how]();
      await write(20);
      const message = server.settle('ses_1')!;
      await pass(20_000);
      const left = tabs.filter((tab) => tab !== old);
      expect(browser.leaders).toHaveLength(1);
      expect(server.sources.size).toBe(1);
      for (const tab of left) {
        expect(tab.shown(message.id)).toBe(message.text);
        expect(tab.seqs).toEqual(server.log.map((event) => event.seq));
        // Nothing had to be reloaded.
        expect(tab.opens.slice(opens.get(tab)).map((open) => open.continued)).toEqual([true]);
        expect(tab.client.connection().state).toBe('open');
      }
    },
  );

  test('a frozen leader loses the lead, and does not have it when it wakes', async () => {
    const tabs = await openTabs(3);
    const old = browser.leaders[0]!;
    old.frozen = true;
    await pass(15_000);
    expect(browser.leaders.filter((tab) => tab !== old)).toHaveLength(1);
    server.record('slot.changed');
    await pass(100);
    old.wake();
    await pass(5000);
    expect(browser.leaders).toHaveLength(1);
    server.record('slot.changed');
    await pass(100);
    for (const tab of tabs) expect(tab.seqs).toEqual([1, 2]);
  });

  test('a stream that ends, fails to open, or says bye is reopened; all tabs have its state', async () => {
    const tabs = await openTabs(3);
    server.trouble = { status: 503, retryAfter: 5000 };
    server.cut();
    await pass(1000);
    for (const tab of tabs) expect(tab.client.connection()).toMatchObject({ state: 'lost' });
    expect(server.probes).toBe(1); // and then it waits for the requested time
    await pass(3800);
    expect(server.probes).toBe(1);
    server.trouble = null;
    const seq = server.record('notice');
    await pass(3000);
    for (const tab of tabs) {
      expect(tab.client.connection().state).toBe('open');
      expect(tab.seqs).toEqual([seq]);
      expect(tab.opens.at(-1)!.continued).toBe(true);
    }
    const before = server.joins.length;
    server.bye();
    await pass(600);
    expect(server.joins.length).toBe(before + 1);
    expect(server.sources.size).toBe(1);
  });

  test('a revoked key is reported, once per attempt', async () => {
    const [a] = (await openTabs(2)) as [FakeTab];
    server.trouble = { status: 401, retryAfter: 0 };
    server.cut();
    await pass(500);
    expect(a.client.connection()).toMatchObject({ state: 'lost', refused: true });
    const before = server.probes;
    await pass(25_000);
    expect(server.probes).toBe(before);
  });

  test('an invalid cursor: all tabs start over', async () => {
    const tabs = await openTabs(3);
    for (let i = 0; i < 5; i++) server.record('slot.changed');
    await pass(100);
    server.wipe();
    server.record('slot.changed');
    await pass(3000);
    const seq = server.record('notice');
    await pass(100);
    for (const tab of tabs) {
      expect(tab.seqs).toEqual([1, 2, 3, 4, 5, seq]);
      expect(tab.opens.at(-1)!.continued).toBe(false);
      expect(names(tab)).toContain('reset');
    }
  });

  test('a deleted session does not block the stream of the others', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    a.client.watch('ses_gone');
    server.deleted.add('ses_gone');
    b.client.watch('ses_1');
    await pass(2000);
    expect(server.joins.at(-1)!.sessions).toEqual(['ses_1']);
    const seq = server.record('session.phase', 'ses_1');
    await pass(100);
    expect(b.seqs).toEqual([seq]);
  });

  test('a tab that missed events receives them; one that slept for long reloads', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    const follower = a.client.leads ? b : a;
    const leader = a.client.leads ? a : b;
    follower.client.leave(); // into the cache of pages
    for (let i = 0; i < 10; i++) server.record('slot.changed');
    await pass(1000);
    follower.client.enter();
    await pass(2000);
    expect(follower.seqs).toEqual(server.log.map((event) => event.seq));
    expect(leader.seqs).toEqual(server.log.map((event) => event.seq));
    expect(follower.opens.at(-1)!.continued).toBe(true);
    follower.client.leave();
    for (let i = 0; i < 2100; i++) server.record('slot.changed');
    await pass(1000);
    follower.client.enter();
    await pass(2000);
    expect(follower.opens.at(-1)!.continued).toBe(false);
    expect(follower.seqs).toHaveLength(10);
    const seq = server.record('notice');
    await pass(100);
    expect(follower.seqs.at(-1)).toBe(seq);
  });

  test('after sleep the stream is reopened, even without an error', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    const silent = [...server.sources][0]!;
    server.sources.delete(silent); // the server no longer has it; there is no error
    const seq = server.record('notice');
    vi.setSystemTime(Date.now() + 60_000);
    await pass(5000);
    expect(a.seqs).toEqual([seq]);
  });

  test('a silently dead connection is replaced', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    server.sources.clear();
    const seq = server.record('notice');
    await pass(130_000);
    expect(a.seqs).toEqual([seq]);
  });

  test('lost messages between tabs are requested again', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    for (const tab of [a, b]) tab.client.watch('ses_1');
    await pass(300);
    let lost = 0;
    browser.loses = (said) => (said as { kind: string }).kind === 'event' && lost++ < 2;
    for (let i = 0; i < 4; i++) {
      server.record('session.phase', 'ses_1');
      await pass(20);
    }
    await pass(500);
    for (const tab of [a, b]) expect(tab.seqs).toEqual([1, 2, 3, 4]);
    lost = 1;
    for (const piece of ['one ', 'two ', 'three ']) {
      server.write('ses_1', piece);
      await pass(20);
    }
    await pass(100);
    for (const tab of [a, b]) expect(tab.shown('msg_1')).toBe('one two three ');
    expect(lost).toBeGreaterThan(2);
  });

  test('a tab that starts to watch before it has the stream’s state receives the streaming text', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    a.client.watch('ses_1');
    await pass(300);
    server.write('ses_1', 'so far');
    await pass(50);
    browser.delay = 60;
    const late = browser.open();
    await pass(1);
    late.client.watch('ses_1');
    await pass(500);
    expect(late.shown('msg_1')).toBe('so far');
  });

  test('a tab opened after a text was discarded without notice does not receive it', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    a.client.watch('ses_1');
    await pass(300);
    server.write('ses_1', 'void');
    await pass(50);
    server.cut();
    server.discard('ses_1');
    await pass(1000);
    const late = browser.open();
    await pass(500);
    late.client.watch('ses_1');
    await pass(500);
    expect(late.shown('msg_1')).toBe(null);
  });

  test('a session that was unwatched for a while has to be reloaded', async () => {
    const [a, b] = (await openTabs(2)) as [FakeTab, FakeTab];
    const end = a.client.watch('ses_1');
    await pass(300);
    end();
    await pass(40_000);
    const lead = b.client.leads ? b : a;
    const opens = a.opens.length;
    browser.loses = (said) => (said as { kind: string }).kind === 'lead'; // a follower is not notified when it is dropped
    lead.client.checkConnection();
    await pass(500);
    browser.loses = () => false;
    server.record('session.phase', 'ses_1');
    server.record('notice');
    a.client.watch('ses_1');
    await pass(5000);
    expect(a.opens.slice(opens).some((open) => open.of?.includes('ses_1'))).toBe(true);
  });

  test('a text that was discarded without listeners does not stay', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    a.client.watch('ses_1');
    await pass(300);
    server.write('ses_1', 'half of it');
    await pass(50);
    server.cut();
    server.discard('ses_1');
    await pass(6000);
    expect(a.shown('msg_1')).toBe(null);
    expect(names(a)).toContain('message.discarded');
  });

  test('tabs with different keys share nothing until they have the same key', async () => {
    const keys = ['fmt_a', 'fmt_b'];
    const tabs = [0, 1].map((i) => browser.open({ key: () => keys[i]! }));
    await pass(1500);
    expect(browser.leaders).toHaveLength(2);
    expect(server.sources.size).toBe(2);
    keys[1] = 'fmt_a';
    tabs[1]!.client.restart();
    await pass(1500);
    expect(browser.leaders).toEqual([tabs[0]]);
    expect(server.sources.size).toBe(1);
  });

  test('a thousand screens open and close and leave nothing behind', async () => {
    const [a] = (await openTabs(1)) as [FakeTab];
    const before = a.client.load;
    const timers = vi.getTimerCount();
    for (let i = 0; i < 1000; i++) {
      const ends = [
        a.client.subscribe(() => {}),
        a.client.onOpen(() => {}),
        a.client.onConnection(() => {}),
        a.client.watch(`ses_${i % 7}`),
      ];
      for (const end of ends) {
        end();
        end();
      }
    }
    expect(a.client.load).toEqual(before);
    await pass(60_000);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(timers);
    expect(server.joins.at(-1)!.sessions).toEqual([]);
    a.close();
    await pass(1000);
    expect(vi.getTimerCount()).toBe(0);
    expect(server.sources.size).toBe(0);
  });
});

test('without channels each tab has a stream of its own', async () => {
  const server = new FakeServer();
  const browser = new FakeBrowser(server, { channel: false });
  const tabs = [browser.open(), browser.open()];
  await pass(500);
  expect(server.sources.size).toBe(2);
  tabs[0]!.client.leave();
  const seq = server.record('notice');
  await pass(500);
  expect(server.sources.size).toBe(1);
  tabs[0]!.client.enter();
  await pass(500);
  for (const tab of tabs) expect(tab.seqs).toEqual([seq]);
});
