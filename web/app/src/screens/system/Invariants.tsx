import { useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { invariantWords } from '../../api/inFrench';
import { useFormat } from '../../i18n/format';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { Scroll } from '../../ui/Scroll';
import { texts } from './texts';

/** Counts violated invariants, on request. */
export function Invariants() {
  const t = texts.use();
  const f = useFormat();
  const [found, setFound] = useState<Schemas['Invariant'][] | null>(null);
  const count = useAction(async () => {
    const { data } = await body(api.GET('/v1/admin/invariants'));
    setFound(data);
    announce(verdict(data, t));
  });
  const broken = (found ?? []).filter((i) => i.count !== 0);
  return (
    <section className="stack tight" aria-labelledby="invariants">
      <h2 id="invariants">{t('invariants')}</h2>
      <p className="muted">{t('invariants.text')}</p>
      <p>
        <button type="button" disabled={count.busy} onClick={() => void count.run()}>
          {t(count.busy ? 'invariants.runs' : 'invariants.run')}
        </button>
      </p>
      {count.problem != null && <ProblemBox thrown={count.problem} />}
      {found && (
        <p className={broken.length ? 'box bad' : 'box ok'} data-broken={broken.length}>
          {verdict(found, t)}
        </p>
      )}
      {found && (
        <Scroll label={t('invariants')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('col.promise')}</th>
                <th scope="col" className="number">
                  {t('col.count')}
                </th>
              </tr>
            </thead>
            <tbody>
              {found
                .toSorted((a, b) => b.count - a.count)
                .map((i) => (
                  <tr key={i.name}>
                    <td>
                      {invariantWords(i.name, i.description)} <code className="muted">{i.name}</code>
                    </td>
                    <td className="number">{f.number(i.count)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function verdict(found: Schemas['Invariant'][], t: typeof texts.t): string {
  const broken = found.filter((i) => i.count !== 0).length;
  return broken ? t('invariants.wrong', { n: broken }) : t('invariants.well', { n: found.length });
}
