import { useId } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import css from '../data.module.css';
import { SaveProblem } from '../edit/SaveProblem';
import { texts } from '../texts';
import { changesOf, useEdit } from '../edit/useEdit';

type Zone = Schemas['Zone'];
const colours = [
  ['', 'none'],
  ['#2b6cb0', 'blue'],
  ['#2f855a', 'green'],
  ['#b7791f', 'amber'],
  ['#c53030', 'red'],
  ['#6b46c1', 'purple'],
  ['#718096', 'grey'],
] as const;
const draftOf = (zone?: Zone) => ({
  name: zone?.name ?? '',
  description: zone?.description ?? '',
  colour: zone?.colour ?? '',
  require_validation: zone?.require_validation ?? false,
});

interface Props {
  zone?: Zone;
  onClose: () => void;
  onSaved: (zone: Zone) => void;
}

/** The form of a new or edited zone. */
export function ZoneForm({ zone, onClose, onSaved }: Props) {
  const t = texts.use();
  const path = { zone_id: zone?.id ?? '' };
  const edit = useEdit({
    of: zone,
    draftOf,
    load: () => body(api.GET('/v1/zones/{zone_id}', { params: { path } })),
    save: async (draft, etag, base) =>
      onSaved(
        zone
          ? await body(
              api.PATCH('/v1/zones/{zone_id}', {
                params: { path, header: { 'If-Match': etag } },
                body: changesOf(base, draft),
              }),
            )
          : await body(api.POST('/v1/zones', { body: draft })),
      ),
  });
  const { draft, set, action } = edit;
  const wrong = (pointer: string) =>
    action.problem == null ? undefined : asProblem(action.problem).errors.find((e) => e.pointer === pointer)?.message;
  return (
    <Dialog title={t(zone ? 'zone.edit' : 'zone.new.title')} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          void action.run();
        }}
      >
        <Field label={t('name')} required wrong={wrong('/name')}>
          <input type="text" maxLength={200} value={draft.name} onChange={(e) => set({ name: e.target.value })} />
        </Field>
        <Field label={t('description')} wrong={wrong('/description')}>
          <textarea
            rows={3}
            maxLength={10_000}
            value={draft.description}
            onChange={(e) => set({ description: e.target.value })}
          />
        </Field>
        <Colours value={draft.colour} onChange={(colour) => set({ colour })} />
        <Field check label={t('validation')} hint={t('validation.hint')}>
          <input
            type="checkbox"
            checked={draft.require_validation}
            onChange={(e) => set({ require_validation: e.target.checked })}
          />
        </Field>
        {edit.loaded && <p className="box ok">{t('stale.loaded')}</p>}
        <SaveProblem thrown={action.problem} load={edit.reload} />
        <div className="row">
          <button type="submit" className="primary" disabled={action.busy || !draft.name.trim()}>
            {t(zone ? 'save' : 'zone.make')}
          </button>
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Colours({ value, onChange }: { value: string; onChange: (colour: string) => void }) {
  const t = texts.use();
  const name = useId();
  const known = colours.some(([colour]) => colour === value);
  return (
    <fieldset className="field">
      <legend>{t('colour')}</legend>
      <div className="chips">
        {[...colours, ...(known ? [] : [[value, ''] as const])].map(([colour, words]) => (
          <label key={colour}>
            <input type="radio" name={name} checked={value === colour} onChange={() => onChange(colour)} />
            {colour && <span className={css.dot} style={{ backgroundColor: colour }} aria-hidden="true" />}
            {words ? t(`colour.${words}`) : colour.slice(0, 20)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
