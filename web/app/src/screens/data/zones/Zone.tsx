import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Confirm } from '../../../ui/Confirm';
import { Empty } from '../../../ui/Empty';
import { Page } from '../../../ui/Page';
import { Read } from '../../../ui/Read';
import { Back, Gone } from '../Back';
import css from '../data.module.css';
import { Description } from '../Description';
import { wasDeleted } from '../undo/deleted';
import { useTools, useTypes } from '../read';
import { texts } from '../texts';
import { NewTool } from '../tools/ToolForm';
import { ToolLine } from '../tools/ToolLine';
import { ZoneForm } from './ZoneForm';

/** One zone and its tools. */
export function ZonePage({ id }: { id: string }) {
  const t = texts.use();
  const query = $api.useQuery('get', '/v1/zones/{zone_id}', { params: { path: { zone_id: id } } });
  if (query.data) return <Shown zone={query.data} />;
  return (
    <Page title={t('zone')}>
      <Gone query={query}>
        <Read query={query}>{() => null}</Read>
      </Gone>
    </Page>
  );
}

function Shown({ zone }: { zone: Schemas['Zone'] }) {
  const t = texts.use();
  const [, go] = useLocation();
  const [open, setOpen] = useState<'' | 'edit' | 'new' | 'delete'>('');
  const close = () => setOpen('');
  const member = useMay('member');
  const tools = useTools(zone.id);
  const types = useTypes();
  const n = tools.data?.length ?? 0;
  return (
    <Page
      name={zone.name.slice(0, 60)}
      title={
        <span className={css.name}>
          {zone.colour && <span className={css.dot} style={{ backgroundColor: zone.colour }} aria-hidden="true" />}
          <span className="clamp">{zone.name}</span>
        </span>
      }
      actions={
        member && (
          <>
            <button type="button" className="primary" onClick={() => setOpen('new')}>
              {t('tool.new')}
            </button>
            <button type="button" onClick={() => setOpen('edit')}>
              {t('edit')}
            </button>
            <button type="button" className="plain" onClick={() => setOpen('delete')}>
              {t('delete')}
            </button>
          </>
        )
      }
    >
      <Back />
      {zone.require_validation && (
        <p>
          <span className="badge warn">{t('validation.badge')}</span>{' '}
          <span className="small muted">{t('validation.hint')}</span>
        </p>
      )}
      <Description text={zone.description} />
      <Read query={tools}>
        {(list) =>
          list.length === 0 ? (
            <Empty>
              <div className="stack tight">
                <p>{t('zone.empty')}</p>
                <p>
                  <button type="button" className="primary" onClick={() => setOpen('new')}>
                    {t('tool.new')}
                  </button>
                </p>
              </div>
            </Empty>
          ) : (
            <section className="stack tight" aria-labelledby="tools">
              <h2 id="tools">{t('zone.tools', { n })}</h2>
              <ul className={`plain ${css.tools}`}>
                {list.map((tool) => (
                  <ToolLine
                    key={tool.id}
                    tool={tool}
                    latest
                    type={types.data?.find((type) => type.id === tool.tool_type)}
                  />
                ))}
              </ul>
            </section>
          )
        }
      </Read>
      {open === 'edit' && <ZoneForm zone={zone} onClose={close} onSaved={close} />}
      {open === 'new' && <NewTool zone={zone.id} onClose={close} onSaved={(tool) => go(`/data/tools/${tool.id}`)} />}
      {open === 'delete' && (
        <Confirm
          title={t('zone.delete')}
          yes={t('delete')}
          danger
          onClose={close}
          act={async () => {
            await api.DELETE('/v1/zones/{zone_id}', {
              params: { path: { zone_id: zone.id }, query: { force: n > 0 } },
            });
            wasDeleted('zone', [zone.id], zone.name);
            go('/data');
          }}
        >
          <p>
            {t('delete.text', { name: zone.name.slice(0, 200) })} {n > 0 && t('delete.zone.more', { n })}
          </p>
        </Confirm>
      )}
    </Page>
  );
}
