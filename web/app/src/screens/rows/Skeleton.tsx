import css from './rows.module.css';

/** Rows that are being read: as many and as high as those that come. */
export function SkeletonRows({ n, label }: { n: number; label: string }) {
  return (
    <div role="status" aria-label={label} data-loading className={css.waiting}>
      {Array.from({ length: n }, (_, i) => (
        <div key={i} className={css.place}>
          <div className="skeleton" />
        </div>
      ))}
    </div>
  );
}
