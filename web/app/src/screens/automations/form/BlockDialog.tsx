import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../../../api/client';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import { formTexts } from './texts';
import type { Enrichment } from '../draft/requestParts';

const kinds = ['USE', 'POINTER', 'CREATE', 'MODIFY_CONFIG'] as const;
const periods = ['', '-1_DAY', '0_DAY', 'days7', '0_WEEK', '-1_WEEK', '0_MONTH', '-1_MONTH', '0_YEAR'] as const;
const periodOf = (name: string) => (name === 'days7' ? { from: '-6_DAY', to: '0_DAY' } : { relative: name });

interface Props {
  onClose: () => void;
  onInsert: (block: Enrichment, summary: string) => void;
}

/** Chooses the data of a block in a request. Times stay relative: each run evaluates them again. */
export function BlockDialog({ onClose, onInsert }: Props) {
  const t = formTexts.use();
  const ui = uiTexts.use();
  const [kind, setKind] = useState<(typeof kinds)[number]>('USE');
  const [target, setTarget] = useState(''); // "tool_id:tol_…"
  const [period, setPeriod] = useState('');
  const [name = '', id = ''] = target.split(/:(.*)/s);
  const timed = kind === 'USE' || kind === 'POINTER';
  const block: Enrichment = {
    type: kind,
    config: {
      ...(id ? { [name]: id } : {}),
      ...(timed && period ? { period: periodOf(period) } : {}),
    } as Enrichment['config'],
  };
  const preview = $api.useQuery(
    'post',
    '/v1/enrichments/preview',
    { body: { segments: [{ type: 'enrichment', enrichment: block }] } },
    { enabled: id !== '', retry: false, placeholderData: keepPreviousData },
  );
  const summary = preview.data?.segments[0]?.enrichment?.summary ?? '';
  return (
    <Dialog title={t('block.title')} onClose={onClose}>
      <p className="muted small">{t('block.what')}</p>
      <Field label={t('block.kind')}>
        <select
          value={kind}
          onChange={(e) => {
            setKind(e.target.value as typeof kind);
            setTarget('');
          }}
        >
          {kinds.map((k) => (
            <option key={k} value={k}>
              {t(`block.${k}`)}
            </option>
          ))}
        </select>
      </Field>
      <Target kind={kind} value={target} onChange={setTarget} />
      {timed && (
        <Field label={t('block.period')} hint={t('period.hint')}>
          <select value={period} onChange={(e) => setPeriod(e.target.value)}>
            {periods.map((p) => (
              <option key={p} value={p}>
                {t(`period.${p}`)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {id && summary && <p className="box">{summary}</p>}
      {id && preview.error != null && <ProblemBox thrown={preview.error} />}
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={!id || preview.isFetching || preview.error != null}
          onClick={() => onInsert(block, summary)}
        >
          {t('block.insert')}
        </button>
        <button type="button" onClick={onClose}>
          {ui('cancel')}
        </button>
      </div>
    </Dialog>
  );
}

function Target({ kind, value, onChange }: { kind: string; value: string; onChange: (target: string) => void }) {
  const t = formTexts.use();
  const some = { params: { query: { limit: 200 } } };
  const types = $api.useQuery('get', '/v1/tool-types', {}, { enabled: kind === 'CREATE' });
  const zones = $api.useQuery('get', '/v1/zones', some);
  const tools = $api.useQuery('get', '/v1/tools', some);
  const option = (field: string) => (one: { id: string; name: string }) => (
    <option key={one.id} value={`${field}:${one.id}`}>
      {one.name.slice(0, 80)}
    </option>
  );
  const nothing =
    kind !== 'CREATE' && tools.data?.data.length === 0 && (kind !== 'POINTER' || zones.data?.data.length === 0);
  return (
    <Field label={t(kind === 'CREATE' ? 'block.type' : 'block.target')} hint={nothing ? t('block.none') : undefined}>
      <select value={value} onChange={(e) => onChange(e.target.value)}>
        <option value="">{t('block.choose')}</option>
        {kind === 'CREATE' ? (
          types.data?.data.map(option('tool_type'))
        ) : kind === 'POINTER' ? (
          <>
            <optgroup label={t('block.zones')}>{zones.data?.data.map(option('zone_id'))}</optgroup>
            <optgroup label={t('block.tools')}>{tools.data?.data.map(option('tool_id'))}</optgroup>
          </>
        ) : (
          tools.data?.data.map(option('tool_id'))
        )}
      </select>
    </Field>
  );
}
