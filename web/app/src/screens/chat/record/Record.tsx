import { useVirtualizer, defaultRangeExtractor, elementScroll, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ArrowDown } from 'lucide-react';
import { flushSync } from 'react-dom';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { itemsOf, severalPeople, writtenText, type Item } from '../store/items';
import type { Chat } from '../store/chat';
import { daysOf } from '../store/days';
import { texts } from '../texts';
import { useDay } from '../useDay';
import { useRecord } from '../useChat';
import { End, near } from './end';
import css from './record.module.css';
import { ItemView } from './Item';

const mostPrinted = 500; // messages: more would slow the page down

/** The estimated height of an item before it is measured. */
function guess(item: Item): number {
  if (item.kind === 'approval') return 160;
  if (item.kind === 'outgoing') return 72 + Math.min(1200, item.outgoing.draft.text.length / 3);
  if (item.kind !== 'message') return 80;
  const m = item.message;
  const length = (m.ai_message?.pre_text ?? writtenText(m)).length;
  return m.sender === 'SYSTEM'
    ? 44 * Math.max(1, m.system_message?.command_results?.length ?? 1)
    : 64 + Math.min(1200, length / 3);
}

/** The record of a chat. Only items near the viewport are rendered. It follows new items while its end is visible,
 * and keeps its position when older messages are loaded above. */
export function Record({ chat, sent }: { chat: Chat; sent: number }) {
  const t = texts.use();
  const version = useRecord(chat);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the version stands for what is read
  const items = useMemo(() => itemsOf(chat.store, chat.outgoing), [chat, version]);
  const named = useMemo(() => severalPeople(items), [items]);
  const days = useMemo(() => daysOf(items), [items]);
  const scroller = useRef<HTMLDivElement>(null);
  const [end] = useState(() => new End());
  const printing = usePrinting();
  // Forms that are being filled in stay mounted, however far they are scrolled away.
  const keep = useCallback(
    (range: Range) => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key;
      const stay = items.flatMap((item, i) =>
        (item.kind === 'approval' && item.approval.status === 'open') || item.key === focused ? [i] : [],
      );
      if (printing) return items.map((_, i) => i).slice(-mostPrinted);
      return [...new Set([...defaultRangeExtractor(range), ...stay])].toSorted((a, b) => a - b);
    },
    [items, printing],
  );
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (i) => items[i]!.key,
    estimateSize: (i) => guess(items[i]!),
    rangeExtractor: keep,
    overscan: 6,
    gap: 14,
    paddingStart: 56,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: near,
    scrollToFn: (...how) => {
      const before = scroller.current?.scrollTop ?? 0;
      elementScroll(...how);
      end.moved((scroller.current?.scrollTop ?? 0) - before);
    },
  });
  const shown = virtual.getVirtualItems();
  const top = items[0]?.key;
  // If a person scrolls at the moment when older messages are inserted, no scroll event reports the new position,
  // so the list has to be made to read it.
  useEffect(() => {
    const timer = setTimeout(() => scroller.current?.dispatchEvent(new Event('scroll')), 250);
    return () => clearTimeout(timer);
  }, [top]);
  const height = virtual.getTotalSize();
  useLayoutEffect(() => end.sized(placeOf(scroller.current!)), [end, height]);
  const away = useFollow(scroller, end, () => virtual.scrollToEnd(), items.at(-1)?.key, sent);
  const first = shown[0]?.index ?? 0;
  const older = chat.store.cursor !== null;
  useEffect(() => {
    if (older && first < 4 && items.length > 0) void chat.loadOlder();
  }, [chat, older, first, items.length]);
  return (
    <div className={css.frame} data-record>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <section ref={scroller} className={css.scroller} aria-label={t('record')} tabIndex={0}>
        <div className={css.list} style={{ height }}>
          <div className={css.top}>
            <Top chat={chat} older={older} />
          </div>
          {shown.map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-key={key}
              className={css.item}
              style={{ transform: `translateY(${start}px)` }}
            >
              {days.has(index) && <Day at={days.get(index)!} />}
              <ItemView chat={chat} item={items[index]!} named={named} />
            </div>
          ))}
        </div>
      </section>
      {away && (
        <button
          type="button"
          className={`small ${css.newest}`}
          onClick={() => virtual.scrollToEnd({ behavior: 'smooth' })}
        >
          <Icon of={ArrowDown} /> {t('newest')}
        </button>
      )}
    </div>
  );
}

/** Whether the page is being printed: then everything loaded is rendered. */
function usePrinting(): boolean {
  const [printing, print] = useState(() => window.matchMedia('print').matches);
  useEffect(() => {
    const paper = window.matchMedia('print');
    const look = () => flushSync(() => print(paper.matches));
    paper.addEventListener('change', look);
    return () => paper.removeEventListener('change', look);
  }, []);
  return printing;
}

function Day({ at }: { at: string }) {
  const name = useDay()(at);
  return (
    <p className={css.day} data-day={at.slice(0, 10)}>
      <span>{name}</span>
    </p>
  );
}

function Top({ chat, older }: { chat: Chat; older: boolean }) {
  const t = texts.use();
  if (!chat.store.session && chat.problem != null)
    return <ProblemBox thrown={chat.problem} onRetry={() => void chat.load()} />;
  if (!chat.store.session) return <p className="muted small">{t('loading')}</p>;
  if (chat.olderProblem != null) return <ProblemBox thrown={chat.olderProblem} onRetry={() => void chat.loadOlder()} />;
  if (chat.readingOlder)
    return (
      <p className="muted small" role="status">
        {t('older.loading')}
      </p>
    );
  if (older)
    return (
      <button type="button" className="plain small" onClick={() => void chat.loadOlder()}>
        {t('older.load')}
      </button>
    );
  return <p className="muted small">{t('older.start')}</p>;
}

const placeOf = (box: HTMLElement) => ({
  top: box.scrollTop,
  left: box.scrollHeight - box.scrollTop - box.clientHeight,
});

/** Keeps the end visible: at the start, after a message was sent, when the window shrinks, and while a new item grows
 * to its size, so that a question's buttons are visible. Returns whether the person has scrolled away from the end. */
function useFollow(
  scroller: React.RefObject<HTMLDivElement | null>,
  end: End,
  toEnd: () => void,
  last: string | undefined,
  sent: number,
): boolean {
  const [away, setAway] = useState(false);
  const grows = useRef(true); // the last item is new, and the record has not been scrolled since
  const go = useRef(toEnd);
  useLayoutEffect(() => {
    go.current = toEnd;
  });
  const filled = last !== undefined;
  const done = useRef(-1); // the number of messages sent when it last scrolled to the end
  useLayoutEffect(() => {
    if (!filled || done.current === sent) return;
    done.current = sent;
    end.wanted();
    go.current();
  }, [end, filled, sent]);
  useLayoutEffect(() => {
    grows.current = last !== undefined && end.at;
  }, [end, last]);
  useEffect(() => {
    const box = scroller.current!;
    const look = () => {
      const place = placeOf(box);
      end.scrolled(place);
      setAway(place.left > 300);
    };
    const touched = () => {
      grows.current = false;
    };
    const resized = new ResizeObserver((entries) => {
      if (end.at && (grows.current || entries.some((e) => e.target === box))) go.current();
    });
    const hands = ['pointerdown', 'wheel', 'touchmove', 'keydown'] as const;
    box.addEventListener('scroll', look, { passive: true });
    for (const hand of hands) box.addEventListener(hand, touched, { passive: true });
    resized.observe(box);
    resized.observe(box.firstElementChild!);
    return () => {
      box.removeEventListener('scroll', look);
      for (const hand of hands) box.removeEventListener(hand, touched);
      resized.disconnect();
    };
  }, [end, scroller]);
  return away;
}
