import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { $api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Empty } from '../../ui/Empty';
import { texts } from './texts';
import { texts as uiTexts } from '../../ui/texts';

/** Breadcrumbs: all data, and the zone if there is one. */
export function Back({ zone, to = '/data' }: { zone?: string; to?: string }) {
  const t = texts.use();
  return (
    <p className="row small">
      <Link href={to}>{t(to === '/data/documents' ? 'nav.documents' : 'nav.zones')}</Link>
      {zone && (
        <>
          <span aria-hidden="true">›</span>
          <ZoneName id={zone} />
        </>
      )}
    </p>
  );
}

function ZoneName({ id }: { id: string }) {
  const t = texts.use();
  const { data } = $api.useQuery('get', '/v1/zones/{zone_id}', { params: { path: { zone_id: id } } });
  return (
    <Link href={`/data/zones/${id}`} className="clamp">
      {data?.name ?? t('zone')}
    </Link>
  );
}

/** Shown if the object in the address does not exist, with a link back. */
export function Gone({ query, children }: { query: { error: unknown }; children: ReactNode }) {
  const t = texts.use();
  const ui = uiTexts.use();
  if (!query.error || asProblem(query.error).status !== 404) return children;
  return (
    <Empty>
      <div className="stack tight">
        <p>
          <strong>{ui('code.not_found')}</strong> {t('gone.text')}
        </p>
        <p>
          <Link href="/data">{t('gone.back')}</Link>
        </p>
      </div>
    </Empty>
  );
}
