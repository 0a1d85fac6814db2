import { useId, useState } from 'react';
import { $api, type Schemas } from '../../api/client';
import { aboutCommand } from '../../ui/aboutCommand';
import { Read } from '../../ui/Read';
import css from './agents.module.css';
import { texts } from './texts';

type Spec = Schemas['CommandSpec'];
const groups = ['builtin', 'outside', 'agent'] as const;
const groupOf = ({ source }: Spec): (typeof groups)[number] =>
  source === 'agent' || source === 'builtin' ? source : 'outside';

interface Props {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** The command that calls this agent: it cannot call itself. */
  own?: string;
  wrong?: string;
}

/** The allow list of an agent: picked from the catalogue, including listed commands that are not available now. */
export function Allowed({ chosen, onChange, own, wrong }: Props) {
  const t = texts.use();
  const [words, setWords] = useState('');
  const catalogue = $api.useQuery('get', '/v1/commands', {});
  const toggle = (name: string, on: boolean) =>
    onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  return (
    <fieldset className="stack tight">
      <legend className="small">
        <strong>{t('allowed')}</strong>
      </legend>
      <p className="hint small muted">{t('allowed.hint')}</p>
      <div className="row">
        <input
          type="search"
          className="grow"
          aria-label={t('allowed.filter')}
          placeholder={t('allowed.filter')}
          value={words}
          onChange={(e) => setWords(e.target.value)}
        />
        <span className="small muted" role="status">
          {t('allowed.count', { n: chosen.length })}
        </span>
      </div>
      <Read query={catalogue}>
        {({ data }) => {
          const sought = words.trim().toUpperCase();
          const offered = data.filter((c) => c.kind !== 'control' && c.name !== own);
          const gone = chosen.filter((name) => !data.some((c) => c.name === name));
          const shown = offered.filter((c) => c.name.includes(sought));
          return (
            <div className={css.pick} tabIndex={0} role="group" aria-label={t('allowed')}>
              {gone.map((name) => (
                <Line key={name} name={name} note={t('allowed.gone')} on toggle={toggle} />
              ))}
              {!shown.length && <p className="muted">{t('allowed.none')}</p>}
              {groups.map((group) => {
                const own = shown.filter((c) => groupOf(c) === group);
                if (!own.length) return null;
                return (
                  <div key={group}>
                    <h4 className="small muted">{t(`group.${group}`)}</h4>
                    {own.map((c) => (
                      <Line
                        key={c.name}
                        name={c.name}
                        note={c.kind === 'control' ? '' : t(`kind.${c.kind}`)}
                        title={aboutCommand(c)}
                        on={chosen.includes(c.name)}
                        toggle={toggle}
                      />
                    ))}
                  </div>
                );
              })}
            </div>
          );
        }}
      </Read>
      {wrong && <p className="wrong">{wrong}</p>}
    </fieldset>
  );
}

interface LineProps {
  name: string;
  note: string;
  title?: string;
  on: boolean;
  toggle: (name: string, on: boolean) => void;
}

function Line({ name, note, title, on, toggle }: LineProps) {
  const id = useId();
  return (
    <div className={css.line} title={title}>
      <input id={id} type="checkbox" checked={on} onChange={(e) => toggle(name, e.target.checked)} />
      <label htmlFor={id}>
        <code>{name}</code> <span className="small muted">{note}</span>
      </label>
    </div>
  );
}
