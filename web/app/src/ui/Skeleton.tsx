import { texts } from './texts';

interface Props {
  /** As many rows as will mostly come. */
  rows?: number;
  /** What each of them is as high as: a row of a list, or a card. */
  each?: 'row' | 'card';
}

/** Keeps the place of what is being read, so that nothing moves when it is there. */
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

/** Lies over a screen of which not all is there. What is below it says to readers that it is being read. */
export const Veil = () => (
  <div className="veil" aria-hidden="true">
    <div className="skeleton" data-each="card" />
    <div className="skeleton" data-each="card" />
  </div>
);
