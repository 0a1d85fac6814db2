import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, body } from '../../../api/client';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { present, tokenOf, type Draft, type EnrichmentType, type Reference } from '../store/drafts';
import { words } from '../texts.compose';
import css from './compose.module.css';
import { nameOfPeriod, periodNames, periods, type PeriodName } from './periods';

interface Props {
  draft: Draft;
  onDraft: (draft: Draft) => void;
}

/** The references of a draft as chips: how each is used, for which period, and what the AI receives. */
export function References({ draft, onDraft }: Props) {
  const t = words.use();
  const here = present(draft);
  if (!here.length) return null;
  const change = (label: string, next: Reference) =>
    onDraft({ ...draft, references: draft.references.map((r) => (r.label === label ? next : r)) });
  const remove = (label: string) => {
    onDraft({
      text: draft.text.replace(tokenOf(label), '').replace(/ {2,}/g, ' '),
      references: draft.references.filter((r) => r.label !== label),
    });
    document.getElementById('message')?.focus();
  };
  return (
    <ul className={`plain ${css.chips}`} aria-label={t('refer.chosen')}>
      {here.map((r) => (
        <Chip key={r.label} reference={r} onChange={(next) => change(r.label, next)} onRemove={() => remove(r.label)} />
      ))}
    </ul>
  );
}

// The other uses that a reference to the same object can have.
function kinds({ config }: Reference): EnrichmentType[] {
  if (config.tool_id) return ['USE', 'POINTER', 'MODIFY_CONFIG'];
  return config.tool_type ? ['CREATE'] : ['POINTER'];
}

function Chip({
  reference,
  onChange,
  onRemove,
}: {
  reference: Reference;
  onChange: (r: Reference) => void;
  onRemove: () => void;
}) {
  const t = words.use();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { label, type, config } = reference;
  const { period, ...rest } = config;
  const named = nameOfPeriod(period);
  const use = (next: EnrichmentType) =>
    onChange({ ...reference, type: next, config: next === 'MODIFY_CONFIG' ? rest : config });
  const pick = (name: PeriodName) =>
    onChange({ ...reference, config: periods[name] ? { ...rest, period: periods[name] } : rest });
  return (
    <li className={css.chip} data-enrichment={type}>
      <div className="row">
        <strong className="clamp">{label}</strong>
        {kinds(reference).length > 1 && (
          <select
            aria-label={t('refer.how', { name: label })}
            value={type}
            onChange={(e) => use(e.target.value as EnrichmentType)}
          >
            {kinds(reference).map((k) => (
              <option key={k} value={k}>
                {t(`refer.${k}`)}
              </option>
            ))}
          </select>
        )}
        {(type === 'USE' || type === 'POINTER') && (
          <select
            aria-label={t('refer.period', { name: label })}
            value={named}
            onChange={(e) => pick(e.target.value as PeriodName)}
          >
            {periodNames.map((name) => (
              <option key={name} value={name}>
                {t(`per.${name}`)}
              </option>
            ))}
            {named === 'other' && (
              <option value="other" disabled>
                {t('per.other')}
              </option>
            )}
          </select>
        )}
        <button
          type="button"
          className="plain small"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {t(open ? 'refer.preview.hide' : 'refer.preview')}
        </button>
        <button
          type="button"
          className="plain small"
          aria-label={t('refer.remove', { name: label })}
          title={t('refer.remove', { name: label })}
          onClick={onRemove}
        >
          ✕
        </button>
      </div>
      {open && (
        <div id={id}>
          <Preview reference={reference} />
        </div>
      )}
    </li>
  );
}

/** The content of a reference that the AI will receive. */
function Preview({ reference: { type, config } }: { reference: Reference }) {
  const t = words.use();
  const query = useQuery({
    queryKey: ['preview', type, config],
    queryFn: () =>
      body(
        api.POST('/v1/enrichments/preview', {
          body: { segments: [{ type: 'enrichment', enrichment: { type, config } }] },
        }),
      ),
    retry: false,
  });
  if (query.error) return <ProblemBox thrown={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Read query={query}>
      {(rich) => (
        <div className={`small ${css.preview}`} data-preview="">
          <p>{rich.linear_text}</p>
          {(rich.commands ?? []).length > 0 && <p className="muted">{t('refer.commands')}</p>}
          <ul>
            {(rich.commands ?? []).map((c) => (
              <li key={c.id}>
                <code>{c.type}</code> <code className="muted">{JSON.stringify(c.params)}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Read>
  );
}
