import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deferred } from './deferred';
import { TabClock } from './tabClock';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe('a deferred callback', () => {
  test('runs once, however often it is scheduled', () => {
    const deferred = new Deferred();
    const done: string[] = [];
    deferred.schedule(1000, () => done.push('first'));
    deferred.schedule(0, () => done.push('second'));
    pass(999);
    expect(done).toEqual([]);
    pass(1);
    expect(done).toEqual(['first']);
    deferred.schedule(0, () => done.push('again'));
    pass(0);
    expect(done).toEqual(['first', 'again']);
  });

  test('replaces the scheduled one when it is rescheduled', () => {
    const deferred = new Deferred();
    const done: string[] = [];
    deferred.schedule(1000, () => done.push('late'));
    deferred.reschedule(0, () => done.push('soon'));
    pass(2000);
    expect(done).toEqual(['soon']);
  });

  test('does not run after it was cancelled', () => {
    const deferred = new Deferred();
    const run = vi.fn();
    deferred.schedule(10, run);
    deferred.cancel();
    pass(100);
    expect(run).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the clock of a tab', () => {
  test('checks every two seconds, and leaves no timer when stopped', () => {
    const clock = new TabClock();
    const look = vi.fn();
    clock.start(look);
    clock.announcement.schedule(9000, look);
    clock.resync.schedule(9000, look);
    clock.textCheck.schedule(9000, look);
    pass(6000);
    expect(look).toHaveBeenCalledTimes(3);
    clock.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('detects that the machine slept, and allows a hidden tab slow timers', () => {
    const clock = new TabClock();
    clock.start(() => {});
    pass(20_000);
    expect(clock.jumped(false)).toBe(false);
    pass(20_001);
    expect(clock.jumped(false)).toBe(true);
    expect(clock.jumped(false)).toBe(false); // reported once
    pass(90_000);
    expect(clock.jumped(true)).toBe(false);
    pass(90_001);
    expect(clock.jumped(true)).toBe(true);
  });

  test('makes the tab announce itself again after a while', () => {
    const clock = new TabClock();
    clock.announced();
    pass(20_000);
    expect(clock.announcementDue).toBe(false);
    pass(1);
    expect(clock.announcementDue).toBe(true);
    clock.announced();
    expect(clock.announcementDue).toBe(false);
  });
});
