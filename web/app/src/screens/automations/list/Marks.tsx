import type { Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { outcomeOf } from '../../runs/outcome';
import { useOutcomeWords } from '../../runs/OutcomeBadge';
import css from '../automations.module.css';
import { texts } from '../texts';

/** The last runs as a row of marks, newest last; screen readers get the counts. */
export function Marks({ runs }: { runs: Schemas['AutomationRun'][] }) {
  const t = texts.use();
  const f = useFormat();
  const words = useOutcomeWords();
  if (!runs.length) return <span className="muted small">{t('marks.none')}</span>;
  const shown = runs.slice(0, 10).toReversed();
  const counts = new Map<string, number>();
  for (const run of shown) counts.set(words(run), (counts.get(words(run)) ?? 0) + 1);
  const list = f.list([...counts].map(([outcome, n]) => t('marks.count', { n, outcome })));
  return (
    <span className={css.marks} role="img" aria-label={t('marks', { list })}>
      {shown.map((run) => {
        const { sign, tone } = outcomeOf(run);
        return (
          <span
            key={run.session_id}
            className={`${css.mark} drawn`}
            data-tone={tone}
            title={`${words(run)}, ${f.full(run.requested_at)}`}
          >
            {sign}
          </span>
        );
      })}
    </span>
  );
}
