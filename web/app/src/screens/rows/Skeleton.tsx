import css from './rows.module.css';

/** Placeholder rows: as many and as high as the loaded ones. */
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
