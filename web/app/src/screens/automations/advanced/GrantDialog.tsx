import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { aboutCommand } from '../../../ui/aboutCommand';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import { advancedTexts, useCommandWords } from './texts';
import { conditionOf, conditionWrong } from '../draft/draft';
import { errorAt, errorBelow } from '../draft/errors';
import { Choices } from './Choices';

/** A grant: the action, its scope, how often it can be used, and its expiry. */
export function GrantDialog({ automation, onClose }: { automation: string; onClose: () => void }) {
  const t = advancedTexts.use();
  const ui = uiTexts.use();
  const words = useCommandWords();
  const queries = useQueryClient();
  const [commands, setCommands] = useState<string[]>([]);
  const [where, setWhere] = useState<'anywhere' | 'zones' | 'tools'>('anywhere');
  const [ids, setIDs] = useState<string[]>([]);
  const [max, setMax] = useState('5');
  const [expires, setExpires] = useState('');
  const [bounds, setBounds] = useState('');
  const [tried, setTried] = useState(false);
  const catalogue = $api.useQuery('get', '/v1/commands');
  const places = $api.useQuery(
    'get',
    where === 'tools' ? '/v1/tools' : '/v1/zones',
    { params: { query: { limit: 200 } } },
    { enabled: where !== 'anywhere' },
  );
  const actions = (catalogue.data?.data ?? []).filter((c) => c.kind === 'action');
  const badMax = !/^[1-9]\d{0,3}$/.test(max.trim()) || Number(max) > 1000;
  const badBounds = conditionWrong(bounds);
  const lacks = !commands.length || badMax || badBounds !== undefined || (where !== 'anywhere' && !ids.length);
  const give = useAction(async () => {
    const grant: Schemas['NewGrant'] = {
      commands,
      max_per_run: Number(max),
      ...(where === 'zones' ? { zone_ids: ids } : where === 'tools' ? { tool_ids: ids } : {}),
      ...(bounds.trim() ? { bounds: conditionOf(bounds) as Schemas['NewGrant']['bounds'] } : {}),
      ...(expires ? { expires_at: new Date(expires).toISOString() } : {}),
    };
    await api.POST('/v1/automations/{automation_id}/grants', {
      params: { path: { automation_id: automation } },
      body: grant,
    });
    await queries.invalidateQueries({ queryKey: ['get', '/v1/automations/{automation_id}/grants'] });
    announce(t('grant.given'));
  });
  const errors = give.problem === null ? [] : asProblem(give.problem).errors;
  return (
    <Dialog title={t('grant.title')} onClose={onClose}>
      <Choices
        legend={t('grant.commands')}
        all={actions.map((c) => ({
          id: c.name,
          name: words(c.name),
          hint: [c.name, aboutCommand(c)].filter(Boolean).join(': '),
        }))}
        chosen={commands}
        onChange={setCommands}
        wrong={tried && !commands.length ? t('grant.commands.wrong') : errorBelow(errors, '/commands')}
      />
      <Field label={t('grant.where')}>
        <select
          value={where}
          onChange={(e) => {
            setWhere(e.target.value as typeof where);
            setIDs([]);
          }}
        >
          {(['anywhere', 'zones', 'tools'] as const).map((w) => (
            <option key={w} value={w}>
              {t(`grant.${w}`)}
            </option>
          ))}
        </select>
      </Field>
      {where !== 'anywhere' && (
        <Choices
          legend={t(`grant.${where}`)}
          all={(places.data?.data ?? []).map((p) => ({ id: p.id, name: p.name }))}
          chosen={ids}
          onChange={setIDs}
          wrong={
            tried && !ids.length
              ? t('grant.where.wrong')
              : errorBelow(errors, where === 'zones' ? '/zone_ids' : '/tool_ids')
          }
        />
      )}
      <Field label={t('grant.max')} wrong={badMax ? t('grant.max.wrong') : errorAt(errors, '/max_per_run')}>
        <input type="number" min={1} max={1000} value={max} onChange={(e) => setMax(e.target.value)} />
      </Field>
      <Field label={t('grant.expires')} hint={t('grant.expires.hint')} wrong={errorAt(errors, '/expires_at')}>
        <input type="datetime-local" value={expires} onChange={(e) => setExpires(e.target.value)} />
      </Field>
      <Field
        label={t('grant.bounds')}
        hint={t('grant.bounds.hint')}
        wrong={badBounds ? t('condition.wrong', { why: badBounds }) : errorBelow(errors, '/bounds')}
      >
        <textarea
          className="mono"
          rows={3}
          spellCheck={false}
          value={bounds}
          onChange={(e) => setBounds(e.target.value)}
        />
      </Field>
      {give.problem != null && <ProblemBox thrown={give.problem} />}
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={give.busy}
          onClick={async () => {
            setTried(true);
            if (!lacks && (await give.run())) onClose();
          }}
        >
          {t('grant.give')}
        </button>
        <button type="button" onClick={onClose}>
          {ui('cancel')}
        </button>
      </div>
    </Dialog>
  );
}
