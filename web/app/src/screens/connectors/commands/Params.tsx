import type { Schema } from '../../../ui/SchemaForm';
import { visible } from '../../../ui/visible';
import css from '../connectors.module.css';
import { paramLine } from './shape';
import { texts } from './texts';

/** The parameters of a command: names, types, and which are required. */
export function Params({ schema }: { schema: unknown }) {
  const t = texts.use();
  const own = (schema ?? {}) as Schema;
  const names = Object.keys(own.properties ?? {});
  if (!names.length) return <p className="small muted">{t('params.none')}</p>;
  return (
    <div className="stack tight">
      <h4 className="small">{t('params')}</h4>
      <dl className={`small ${css.params}`}>
        {names.map((name) => {
          return (
            <div key={name}>
              <dt>
                <code>{visible(name)}</code>
              </dt>
              <dd>
                <bdi>{visible(paramLine(own, name, t('param.required')))}</bdi>
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}
