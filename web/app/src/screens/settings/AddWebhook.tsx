import { useState } from 'react';
import { api, body, type Schemas } from '../../api/client';
import { asProblem } from '../../api/problem';
import { useAction } from '../../ui/action';
import { Dialog } from '../../ui/Dialog';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { texts } from './textsOfWebhooks';

type LogType = Schemas['LogType'];

/** All event types, with those that need action first. */
const types: LogType[] = [
  'approval.requested',
  'approval.settled',
  'session.ended',
  'occurrence.recorded',
  'task.changed',
  'answers.changed',
  'notice',
  'session.created',
  'session.status',
  'message.created',
  'message.updated',
  'message.deleted',
  'command.planned',
  'command.started',
  'command.ended',
  'data.changed',
  'automation.changed',
  'slot.changed',
  'queue.changed',
  'usage.updated',
  'context.compacted',
  'session.phase',
];
const usual: LogType[] = ['approval.requested', 'session.ended', 'notice'];

/** The form of a new webhook: its address and event types. */
export function AddWebhook({ onMade, onClose }: { onMade: (w: Schemas['Webhook']) => void; onClose: () => void }) {
  const t = texts.use();
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<LogType[]>(usual);
  const [links, setLinks] = useState(false);
  const asks = chosen.includes('approval.requested');
  const make = useAction(async () =>
    onMade(await body(api.POST('/v1/webhooks', { body: { url, types: chosen, enabled: true, links: links && asks } }))),
  );
  const errors = make.problem == null ? [] : asProblem(make.problem).errors;
  const wrong = (pointer: string) => errors.find((e) => e.pointer === pointer)?.message;
  return (
    <Dialog title={t('add')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          void make.run();
        }}
      >
        <Field label={t('url')} hint={t('url.hint')} wrong={wrong('/url')} required>
          <input type="url" value={url} maxLength={2000} autoComplete="off" onChange={(e) => setUrl(e.target.value)} />
        </Field>
        <fieldset>
          <legend>{t('types')}</legend>
          <p className="hint">{t('types.hint')}</p>
          {types.map((type) => (
            <Field key={type} label={<code>{type}</code>} check>
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onChange={(e) =>
                  setChosen(e.target.checked ? [...chosen, type] : chosen.filter((other) => other !== type))
                }
              />
            </Field>
          ))}
          {chosen.length === 0 && <p className="wrong">{t('types.none')}</p>}
        </fieldset>
        {asks && (
          <Field label={t('links')} hint={t('links.hint')} wrong={wrong('/links')} check>
            <input type="checkbox" checked={links} onChange={(e) => setLinks(e.target.checked)} />
          </Field>
        )}
        {make.problem != null && <ProblemBox thrown={make.problem} />}
        <p>
          <button type="submit" className="primary" disabled={make.busy || !url.trim() || chosen.length === 0}>
            {t('add')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
