// Random schedules: tabs open, close, crash, freeze and sleep, streams break, while answers stream. Each tab must
// receive each event once and in order.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeBrowser, type FakeTab } from './testing/browser';
import { FakeServer, wants } from './testing/server';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function dice(seed: number) {
  let state = (seed * 2654435761) % 2147483647 || 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

interface Watch {
  session: string;
  end: () => void;
  at: number;
} // at: the number of events so far
const sessions = ['ses_1', 'ses_2', 'ses_3'];

class Play {
  readonly random: () => number;
  readonly server: FakeServer;
  readonly browser: FakeBrowser;
  readonly watches = new Map<FakeTab, Watch[]>();
  readonly settled: { id: string; session_id: string; text: string }[] = [];
  readonly voided: { session: string; message: string }[] = [];
  private words = 0;

  constructor(seed: number, locks: boolean) {
    this.random = dice(seed);
    this.server = new FakeServer(this.random);
    this.browser = new FakeBrowser(this.server, { locks });
    this.browser.delay = 1 + Math.floor(this.random() * 40);
    this.open();
  }

  private pick<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.random() * of.length)];
  }
  get alive(): FakeTab[] {
    return this.browser.tabs.filter((tab) => !tab.dead);
  }

  open() {
    const tab = this.browser.open();
    this.watches.set(tab, []);
    for (const session of sessions) if (this.random() < 0.5) this.watch(tab, session);
  }

  watch(tab: FakeTab, session: string) {
    this.watches.get(tab)!.push({ session, end: tab.client.watch(session), at: tab.events.length });
  }

  step() {
    const r = this.random();
    const tab = this.pick(this.alive);
    const session = this.pick(sessions)!;
    if (r < 0.35)
      this.server.write(session, this.pick(['word ', 'é', '🌍🌍 ', 'a longer piece ', '\n'])! + this.words++);
    else if (r < 0.5) this.server.record(this.pick(['slot.changed', 'notice'])!);
    else if (r < 0.65) this.server.record(this.pick(['session.phase', 'session.status', 'command.ended'])!, session);
    else if (r < 0.7) {
      const message = this.server.settle(session);
      if (message) this.settled.push(message as never);
    } else if (r < 0.72) {
      const message = this.server.discard(session);
      if (message) this.voided.push({ session, message });
    } else if (r < 0.76) {
      if (this.alive.length < 8) this.open();
    } else if (r < 0.79) {
      if (this.alive.length > 1) tab!.close();
    } else if (r < 0.81) {
      if (this.alive.length > 1) tab!.crash();
    } else if (r < 0.84) this.server.cut(this.random() < 0.5);
    else if (r < 0.86) this.server.bye();
    else if (r < 0.88)
      this.server.trouble = this.server.trouble ? null : { status: 503, retryAfter: this.random() < 0.5 ? 0 : 1000 };
    else if (r < 0.89) this.server.unreachable = !this.server.unreachable;
    else if (r < 0.91) tab!.client.leave();
    else if (r < 0.93) tab!.client.enter();
    else if (r < 0.94) tab!.frozen = !tab!.frozen ? true : (tab!.wake(), false);
    else if (r < 0.97) this.watch(tab!, session);
    else if (r < 0.99) this.watches.get(tab!)!.splice(0, 1)[0]?.end();
    else if (r < 0.993) this.server.prune();
    else tab!.client.checkConnection();
  }

  calm() {
    this.server.trouble = null;
    this.server.unreachable = false;
    for (const tab of this.alive) {
      tab.wake();
      tab.client.enter();
    }
  }
}

/** The events that a tab must have received after everything settled. */
function checkTab(play: Play, tab: FakeTab, from: number, atRest: number) {
  const given = tab.events
    .slice(atRest)
    .filter((event) => event.seq > 0)
    .map((event) => event.seq);
  const watched = play.watches.get(tab)!.map((watch) => watch.session);
  const due = play.server.log
    .filter((event) => event.seq > from && wants({ sessions: watched }, event))
    .map((event) => event.seq);
  const missing = due.filter((seq) => !given.includes(seq));
  expect(missing).toEqual([]);
}

for (const locks of [true, false]) {
  test.each(Array.from({ length: 30 }, (_, i) => i + 1))(
    `led by ${locks ? 'locks' : 'claims'}, schedule %i`,
    async (seed) => {
      const play = new Play(seed, locks);
      for (let i = 0; i < 200; i++) {
        play.step();
        await vi.advanceTimersByTimeAsync(Math.floor(play.random() ** 3 * 2500));
        for (const tab of play.alive) inOrder(tab);
      }
      play.calm();
      await vi.advanceTimersByTimeAsync(60_000);
      // Everything has settled: one tab leads, all are connected, and new events reach all tabs.
      expect(play.browser.leaders).toHaveLength(1);
      expect(play.server.sources.size).toBe(1);
      const from = play.server.log.at(-1)?.seq ?? 0;
      const atRest = new Map(play.alive.map((tab) => [tab, tab.events.length]));
      for (const session of sessions) {
        play.server.settle(session);
        play.server.write(session, 'Once more.');
        play.server.record('session.phase', session);
      }
      play.server.record('slot.changed');
      await vi.advanceTimersByTimeAsync(200);
      browserCloses(play);
      for (const session of sessions) {
        play.server.write(session, ' And more.');
        play.server.record('session.phase', session);
      }
      await vi.advanceTimersByTimeAsync(10_000);
      const last = sessions.map((session) => ({ session, message: play.server.settle(session)! }));
      await vi.advanceTimersByTimeAsync(1000);
      for (const tab of play.alive) {
        checkTab(play, tab, from, atRest.get(tab)!);
        expect(tab.client.connection().state).toBe('open');
        for (const { session, message } of last) {
          if (play.watches.get(tab)!.some((watch) => watch.session === session))
            expect(tab.shown(message.id)).toBe(message.text);
        }
        sinceAnew(play, tab);
        for (const { id } of play.settled) tab.shown(id); // throws if the pieces do not fit
        for (const watch of play.watches.get(tab)!) {
          for (const { session, message } of play.voided)
            if (session === watch.session) expect(tab.shown(message, watch.at)).toBe(null);
        }
      }
    },
    30_000,
  );
}

function browserCloses(play: Play) {
  if (play.alive.length > 1) play.browser.leaders[0]?.close();
}

/** Numbers only increase, except for a log that restarted. */
function inOrder(tab: FakeTab) {
  let last = 0;
  tab.events.forEach((event, i) => {
    if (event.seq === 0) return;
    if (event.seq <= last) expect(tab.opens.some((open) => !open.continued && !open.of && open.at <= i)).toBe(true);
    last = event.seq;
  });
}

/** Since the last full reload no event of the workspace is missing, and none of a session since it was watched or
 * reloaded. */
function sinceAnew(play: Play, tab: FakeTab) {
  const restarted = tab.opens.findLast((open) => !open.continued && !open.of);
  const events = tab.events.slice(restarted?.at ?? 0).filter((event) => event.seq > 0);
  const first = events[0]?.seq;
  if (first === undefined) return;
  const given = new Set(events.map((event) => event.seq));
  const missing = play.server.log.filter(
    (event) => event.seq > first && wants({ sessions: [] }, event) && !given.has(event.seq),
  );
  expect(missing).toEqual([]);
  for (const { session, at } of play.watches.get(tab)!) {
    const fresh = tab.opens.findLast((open) => open.of?.includes(session) || (!open.continued && !open.of));
    const own = tab.events
      .slice(Math.max(fresh?.at ?? 0, at))
      .filter((event) => event.seq > 0 && (event.data as { session_id?: string }).session_id === session);
    const begin = own[0]?.seq;
    if (begin === undefined) continue;
    const had = new Set(own.map((event) => event.seq));
    expect(
      play.server.log.filter(
        (event) =>
          event.session === session && event.name !== 'message.created' && event.seq > begin && !had.has(event.seq),
      ),
    ).toEqual([]);
  }
}
