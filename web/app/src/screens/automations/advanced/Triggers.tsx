import { $api } from '../../../api/client';
import { Field } from '../../../ui/Field';
import { conditionWrong, type TriggerDraft } from '../draft/draft';
import { errorAt, errorBelow } from '../draft/errors';
import { Fold } from './Fold';
import type { PartProps } from '../draft/partProps';
import { advancedTexts } from './texts';
import { Webhook } from './Webhook';

const examples: Record<string, object> = {
  webhook: { required: ['level'], properties: { level: { const: 'critical' } } },
  entry_created: { properties: { data: { required: ['value'], properties: { value: { minimum: 10 } } } } },
};

/** The triggers other than the schedule: a webhook, or a new entry. */
export function Triggers({ draft, set, errors, tried, automation }: PartProps) {
  const t = advancedTexts.use();
  const change = (i: number, part: Partial<TriggerDraft>) =>
    set({ triggers: draft.triggers.map((old, at) => (at === i ? { ...old, ...part } : old)) });
  const hook = draft.triggers.some((trigger) => trigger.type === 'webhook');
  const add = (type: string) => set({ triggers: [...draft.triggers, { type, toolID: '', condition: '' }] });
  return (
    <Fold
      title={t('triggers')}
      state={draft.triggers.length ? t('triggers.n', { n: draft.triggers.length }) : t('triggers.none')}
      open={draft.triggers.length > 0 || draft.when.kind === 'none'}
    >
      <p className="muted small">{t('triggers.what')}</p>
      <ul className="plain stack">
        {draft.triggers.map((trigger, i) => (
          <li key={i} className="card stack" data-trigger={trigger.type}>
            <div className="row between">
              <h3>
                {trigger.type === 'webhook' ? t('hook') : trigger.type === 'entry_created' ? t('entry') : trigger.type}
              </h3>
              <button
                type="button"
                className="plain small"
                onClick={() => set({ triggers: draft.triggers.filter((_, at) => at !== i) })}
              >
                {t('trigger.remove')}
              </button>
            </div>
            {trigger.type === 'webhook' && <Webhook automation={automation} />}
            {trigger.type === 'entry_created' && (
              <ToolField
                value={trigger.toolID}
                onChange={(toolID) => change(i, { toolID })}
                wrong={tried && !trigger.toolID ? t('entry.tool.wrong') : errorAt(errors, `/triggers/${i}/tool_id`)}
              />
            )}
            <Condition
              trigger={trigger}
              onChange={(condition) => change(i, { condition })}
              wrong={errorBelow(errors, `/triggers/${i}/condition`) ?? errorAt(errors, `/triggers/${i}`)}
            />
          </li>
        ))}
      </ul>
      <div className="row">
        {!hook && (
          <button type="button" onClick={() => add('webhook')}>
            {t('hook.add')}
          </button>
        )}
        <button type="button" onClick={() => add('entry_created')}>
          {t('entry.add')}
        </button>
      </div>
    </Fold>
  );
}

function ToolField({ value, onChange, wrong }: { value: string; onChange: (id: string) => void; wrong?: string }) {
  const t = advancedTexts.use();
  const tools = $api.useQuery('get', '/v1/tools', { params: { query: { limit: 200 } } });
  const known = tools.data?.data ?? [];
  return (
    <Field
      label={t('entry.tool')}
      wrong={wrong}
      hint={tools.data && !known.length ? t('entry.tool.none') : undefined}
      required
    >
      <select value={value} onChange={(e) => onChange(e.target.value)}>
        <option value="">{t('choose')}</option>
        {value && !known.some((tool) => tool.id === value) && <option value={value}>{value}</option>}
        {known.map((tool) => (
          <option key={tool.id} value={tool.id}>
            {tool.name.slice(0, 80)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Condition({
  trigger,
  onChange,
  wrong,
}: {
  trigger: TriggerDraft;
  onChange: (text: string) => void;
  wrong?: string;
}) {
  const t = advancedTexts.use();
  const unreadable = conditionWrong(trigger.condition);
  return (
    <div className="stack tight">
      <Field
        label={t('condition')}
        hint={t(trigger.type === 'webhook' ? 'condition.hook' : 'condition.entry')}
        wrong={unreadable ? t('condition.wrong', { why: unreadable }) : wrong}
      >
        <textarea
          className="mono"
          rows={trigger.condition ? 5 : 2}
          spellCheck={false}
          value={trigger.condition}
          onChange={(e) => onChange(e.target.value)}
        />
      </Field>
      {!trigger.condition && (
        <p>
          <button
            type="button"
            className="link small"
            onClick={() => onChange(JSON.stringify(examples[trigger.type] ?? {}, null, 2))}
          >
            {t('condition.example')}
          </button>
        </p>
      )}
    </div>
  );
}
