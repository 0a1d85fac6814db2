import { texts } from './texts';

interface Props {
  /** The usual number of rows. */
  rows?: number;
  /** The height of each: a row of a list, or a card. */
  each?: 'row' | 'card';
}

/** A placeholder while data loads, so that nothing moves when it arrives. */
export function Skeleton({ rows = 3, each = 'row' }: Props) {
  const t = texts.use();
  return (
    <div className="skeletons" role="status" data-loading>
      <span className="visually-hidden">{t('loading')}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="skeleton" data-each={each} />
      ))}
    </div>
  );
}

/** Covers a screen until all of it has loaded. The content below has the announcement for screen readers. */
export const Veil = () => (
  <div className="veil" aria-hidden="true">
    <div className="skeleton" data-each="card" />
    <div className="skeleton" data-each="card" />
  </div>
);
