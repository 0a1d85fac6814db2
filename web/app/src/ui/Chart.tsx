import { Suspense, useState } from 'react';
import { screen } from '../shell/screen';
import { useFormat } from '../i18n/format';
import type { ChartProps } from './chartProps';
import { texts } from './texts';

// The drawing code is loaded with the first chart.
const Canvas = screen(() => import('./ChartCanvas'));
const shown = 200;

/** A chart of values over time, and the same values as a table. */
export function Chart(props: ChartProps) {
  return (
    <figure className="stack tight">
      <div role="img" aria-label={`${props.label}. ${props.summary}`} data-chart={props.x.length}>
        <Suspense fallback={<div className="skeleton" data-each="chart" data-loading />}>
          <Canvas {...props} />
        </Suspense>
      </div>
      <figcaption className="small muted">{props.summary}</figcaption>
      <Numbers {...props} />
    </figure>
  );
}

function Numbers({ x, series, xLabel, xText, unit, tableLabel }: ChartProps) {
  const t = texts.use();
  const f = useFormat();
  const [open, setOpen] = useState(false);
  const [limit, setLimit] = useState(shown);
  const rows = x
    .map((at, i) => ({ at, i }))
    .toReversed()
    .slice(0, limit);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary className="small">{tableLabel}</summary>
      {open && (
        <div className="stack tight">
          <div className="scroll" tabIndex={0} role="group" aria-label={tableLabel}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{xLabel}</th>
                  {series.map((s) => (
                    <th key={s.label} scope="col" className="number">
                      {s.label}
                      {unit && ` (${unit})`}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ at, i }) => (
                  <tr key={i}>
                    <th scope="row">{xText(at)}</th>
                    {series.map((s) => (
                      <td key={s.label} className="number">
                        {s.values[i] == null ? '' : f.number(s.values[i], 6)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {limit < x.length && (
            <p>
              <button type="button" className="small" onClick={() => setLimit(limit + 1000)}>
                {t('more')}
              </button>
            </p>
          )}
        </div>
      )}
    </details>
  );
}
