import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { useFormat } from '../../i18n/format';
import { useWords } from '../../ui/session';
import type { Gap, Layout, Row } from './layout';
import { failed, type Item } from './model';
import { durationOf, glyph, resultOf, spoken, tokensOf, whatOf } from './say';
import { texts } from './texts';
import styles from './timeline.module.css';

interface Props {
  layout: Layout;
  compact: boolean;
  chosen: string | null;
  onChoose: (key: string) => void;
  onFold: (gap: Gap) => void;
}

/** The rows, virtualized: only visible ones are rendered. */
export function Rows({ layout, compact, chosen, onChoose, onFold }: Props) {
  const t = texts.use();
  const id = useId();
  const { rows } = layout;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => 34,
    overscan: 12,
    getItemKey: (i) => rows[i]!.key,
  });
  const at = rows.findIndex((row) => row.key === chosen);
  const go = (to: number) => {
    const i = Math.max(0, Math.min(rows.length - 1, to));
    onChoose(rows[i]!.key);
    virtual.scrollToIndex(i, { align: 'auto' });
  };
  const onKey = (e: KeyboardEvent) => {
    const row = rows[at];
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + 15,
      PageUp: at - 15,
    };
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key in moves) go(moves[e.key]!);
    else if ((e.key === 'Enter' || e.key === ' ') && row?.kind === 'gap') onFold(row.gap);
    else return;
    e.preventDefault();
  };
  const onClick = (e: MouseEvent) => {
    const row = rows[Number((e.target as Element).closest<HTMLElement>('[data-index]')?.dataset.index)];
    if (!row) return;
    onChoose(row.key);
    if (row.kind === 'gap') onFold(row.gap);
  };
  return (
    <div
      ref={box}
      className={styles.rows}
      role="listbox"
      aria-label={t('list')}
      tabIndex={0}
      onKeyDown={onKey}
      onClick={onClick}
      data-rows={rows.length}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((seen) => {
          const row = rows[seen.index]!;
          return (
            <div
              key={row.key}
              ref={virtual.measureElement}
              data-index={seen.index}
              className={styles.place}
              style={{ transform: `translateY(${seen.start}px)` }}
              role="option"
              tabIndex={-1}
              id={`${id}-${seen.index}`}
              aria-selected={row.key === chosen}
              aria-setsize={rows.length}
              aria-posinset={seen.index + 1}
            >
              {row.kind === 'gap' ? (
                <GapRow row={row} />
              ) : compact ? (
                <CompactRow item={row.item} />
              ) : (
                <BarRow item={row.item} x={layout.x} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GapRow({ row }: { row: Extract<Row, { kind: 'gap' }> }) {
  const t = texts.use();
  const f = useFormat();
  const time = f.duration(row.gap.end - row.gap.start);
  return (
    <div className={styles.gap} data-folded={row.folded}>
      <span className="visually-hidden">{t(row.folded ? 'idle.folded' : 'idle.open', { time })}</span>
      <span aria-hidden="true">{row.folded ? `⋯ ${t('idle', { time })} ⋯` : `↕ ${t('idle', { time })}`}</span>
    </div>
  );
}

function BarRow({ item, x }: { item: Item; x: (at: number) => number }) {
  const t = texts.use();
  const words = useWords();
  const f = useFormat();
  return (
    <div className={styles.row} data-kind={item.kind} data-failed={failed(item)}>
      <span className="visually-hidden">{spoken(item, t, words, f)}</span>
      <span className={styles.glyph} aria-hidden="true">
        {glyph[item.kind]}
      </span>
      <span className={styles.what} aria-hidden="true" title={whatOf(item, t, words)}>
        {whatOf(item, t, words)} <span className="muted">{resultOf(item, t, words)}</span>
      </span>
      <span className={styles.track} aria-hidden="true">
        <Bar item={item} x={x} />
      </span>
      <span className={styles.length} aria-hidden="true">
        {durationOf(item, f)}
      </span>
    </div>
  );
}

const percent = (part: number) => `${(part * 100).toFixed(3)}%`;

/** From start to end, lighter until the first token or the actual start. A command that has not started is light as a
 * whole. */
function Bar({ item, x }: { item: Item; x: (at: number) => number }) {
  const left = x(item.at);
  if (item.end === null) return <span className={`${styles.point} drawn`} style={{ left: percent(left) }} />;
  const right = x(item.end);
  const unbegun = item.kind === 'execution' && item.mark === null;
  const mark = unbegun ? right : item.mark === null ? left : Math.min(right, Math.max(left, x(item.mark)));
  return (
    <>
      <span
        className={`${styles.bar} drawn`}
        data-open={item.open}
        style={{ left: percent(left), width: percent(right - left) }}
      />
      {mark > left && <span className={styles.before} style={{ left: percent(left), width: percent(mark - left) }} />}
    </>
  );
}

function CompactRow({ item }: { item: Item }) {
  const t = texts.use();
  const words = useWords();
  const f = useFormat();
  const tokens = tokensOf(item);
  const cost = item.kind === 'call' ? item.call.usage.cost : null;
  return (
    <div className={styles.line} data-kind={item.kind} data-failed={failed(item)}>
      <span className="visually-hidden">{spoken(item, t, words, f)}</span>
      <span className={styles.clock} aria-hidden="true">
        {f.clock(item.at)}
      </span>
      <span className={styles.glyph} aria-hidden="true">
        {glyph[item.kind]}
      </span>
      <span className={styles.what} aria-hidden="true">
        {whatOf(item, t, words)} <span className="muted">{resultOf(item, t, words)}</span>
      </span>
      <span className={styles.side} aria-hidden="true">
        {tokens > 0 && t('token.n', { n: tokens, count: f.number(tokens) })}
        {cost && ` · ${f.money(cost.amount, cost.currency)}`}
      </span>
      <span className={styles.length} aria-hidden="true">
        {durationOf(item, f)}
      </span>
    </div>
  );
}
