import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { Line } from './model';
import { texts } from './texts';
import styles from './timeline.module.css';

/** The record as JSON from the API, rendered line by line so that a long one is fast too. */
export function Json({ lines }: { lines: Line[] }) {
  const t = texts.use();
  const box = useRef<HTMLDivElement>(null);
  const text = useMemo(() => JSON.stringify(lines, null, 2).split('\n'), [lines]);
  const virtual = useVirtualizer({
    count: text.length,
    getScrollElement: () => box.current,
    estimateSize: () => 20,
    overscan: 30,
  });
  return (
    <div ref={box} className={`${styles.rows} ${styles.json}`} role="group" aria-label={t('view.json')} tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((seen) => (
          <div key={seen.key} className={styles.place} style={{ transform: `translateY(${seen.start}px)` }}>
            <code>{text[seen.index]}</code>
          </div>
        ))}
      </div>
    </div>
  );
}
