import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { Confirm } from '../../../ui/Confirm';
import { Read } from '../../../ui/Read';
import { advancedTexts, useCommandWords } from './texts';
import { GrantDialog } from './GrantDialog';

type Grant = Schemas['Grant'];

/** The grants of an automation. */
export function Grants({ id }: { id: string }) {
  const t = advancedTexts.use();
  const [adding, setAdding] = useState(false);
  const query = $api.useQuery('get', '/v1/automations/{automation_id}/grants', {
    params: { path: { automation_id: id }, query: { limit: 200 } },
  });
  return (
    <section className="stack tight" aria-labelledby="grants">
      <h3 id="grants">{t('grants')}</h3>
      <p className="muted small">{t('grants.what')}</p>
      <Read query={query}>
        {({ data }) => {
          const active = data.filter((g) => g.active);
          const old = data.filter((g) => !g.active);
          return (
            <>
              {active.length === 0 && <p className="small">{t('grants.none')}</p>}
              <ul className="rows">
                {active.map((g) => (
                  <GrantLine key={g.id} grant={g} />
                ))}
              </ul>
              {old.length > 0 && (
                <details>
                  <summary className="small muted">{t('grant.old', { n: old.length })}</summary>
                  <ul className="rows">
                    {old.map((g) => (
                      <GrantLine key={g.id} grant={g} />
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </Read>
      <p>
        <button type="button" onClick={() => setAdding(true)}>
          {t('grant.add')}
        </button>
      </p>
      {adding && <GrantDialog automation={id} onClose={() => setAdding(false)} />}
    </section>
  );
}

function GrantLine({ grant: g }: { grant: Grant }) {
  const t = advancedTexts.use();
  const f = useFormat();
  const words = useCommandWords();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const zones = $api.useQuery(
    'get',
    '/v1/zones',
    { params: { query: { limit: 200 } } },
    { enabled: g.zone_ids.length > 0 },
  );
  const tools = $api.useQuery(
    'get',
    '/v1/tools',
    { params: { query: { limit: 200 } } },
    { enabled: g.tool_ids.length > 0 },
  );
  const names = [
    ...g.zone_ids.map((id) => zones.data?.data.find((z) => z.id === id)?.name ?? id),
    ...g.tool_ids.map((id) => tools.data?.data.find((tool) => tool.id === id)?.name ?? id),
  ];
  const facts = [
    t('grant.times', { n: g.max_per_run }),
    t('grant.uses', { n: g.uses }),
    ...(g.bounds ? [t('grant.bounded')] : []),
    ...(g.expires_at ? [t('grant.until', { at: f.full(g.expires_at) })] : []),
  ];
  return (
    <li className="row between" data-grant={g.id}>
      <div className="grow">
        <p>
          {t('grant.words', {
            commands: f.list(g.commands.map(words)),
            where: names.length ? f.list(names) : t('grant.anywhere'),
          })}{' '}
          {!g.active && <span className="badge">{t(g.withdrawn_at ? 'grant.withdrawn' : 'grant.expired')}</span>}
        </p>
        <p className="small muted">{facts.join(' · ')}</p>
        {g.bounds && <pre className="small">{JSON.stringify(g.bounds)}</pre>}
      </div>
      {g.active && (
        <button type="button" className="small" onClick={() => setAsking(true)}>
          {t('grant.withdraw')}
        </button>
      )}
      {asking && (
        <Confirm
          title={t('grant.withdraw.title')}
          yes={t('grant.withdraw')}
          danger
          onClose={() => setAsking(false)}
          act={async () => {
            await api.DELETE('/v1/automations/{automation_id}/grants/{grant_id}', {
              params: { path: { automation_id: g.automation_id, grant_id: g.id } },
            });
            await queries.invalidateQueries({ queryKey: ['get', '/v1/automations/{automation_id}/grants'] });
          }}
        >
          <p>{t('grant.withdraw.text')}</p>
        </Confirm>
      )}
    </li>
  );
}
