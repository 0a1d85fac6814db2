import { useMemo } from 'react';
import { useFormat } from '../../i18n/format';
import { kinds, type Item, type Kind } from './model';
import { texts } from './texts';
import styles from './timeline.module.css';

export type View = 'waterfall' | 'compact' | 'json';
const views: View[] = ['waterfall', 'compact', 'json'];

interface Props {
  items: Item[];
  view: View;
  onView: (view: View) => void;
  shown: ReadonlySet<Kind>;
  onShown: (kinds: ReadonlySet<Kind>) => void;
  round: string;
  onRound: (round: string) => void;
}

/** Display options and filters of the rows. */
export function Controls({ items, view, onView, shown, onShown, round, onRound }: Props) {
  const t = texts.use();
  const f = useFormat();
  const counts = useMemo(() => {
    const counts: Partial<Record<Kind, number>> = {};
    for (const item of items) counts[item.kind] = (counts[item.kind] ?? 0) + 1;
    return counts;
  }, [items]);
  const rounds = useMemo(
    () =>
      [
        ...new Map(
          items
            .toReversed()
            .filter((i) => i.round)
            .map((i) => [i.round!, i.at]),
        ).entries(),
      ].toReversed(),
    [items],
  );
  const toggle = (kind: Kind) => {
    const next = new Set(shown);
    if (!next.delete(kind)) next.add(kind);
    onShown(next);
  };
  return (
    <div className={styles.controls}>
      <div className={`row ${styles.views}`} role="group" aria-label={t('view')}>
        {views.map((name) => (
          <button key={name} type="button" className="small" aria-pressed={view === name} onClick={() => onView(name)}>
            {t(`view.${name}`)}
          </button>
        ))}
      </div>
      {view !== 'json' && rounds.length > 1 && (
        <label className="row small">
          {t('round')}
          <select value={round} onChange={(e) => onRound(e.target.value)}>
            <option value="">{t('round.all')}</option>
            {rounds.map(([id, at], i) => (
              <option key={id} value={id}>
                {t('round.n', { n: i + 1, time: f.time(at) })}
              </option>
            ))}
          </select>
        </label>
      )}
      {view !== 'json' && (
        <fieldset className="row small">
          <legend className="visually-hidden">{t('filter')}</legend>
          {kinds
            .filter((kind) => counts[kind])
            .map((kind) => (
              <label key={kind} className="row">
                <input type="checkbox" checked={shown.has(kind)} onChange={() => toggle(kind)} data-filter={kind} />
                {t(`kind.${kind}`)} <span className="muted">{f.number(counts[kind]!)}</span>
              </label>
            ))}
        </fieldset>
      )}
    </div>
  );
}
