import { api, body } from '../../../api/client';
import type { Automation } from '../draft/draft';

/** All automations of the workspace, loaded page by page. */
export async function allAutomations(): Promise<Automation[]> {
  const all: Automation[] = [];
  let after: string | undefined;
  do {
    const page = await body(api.GET('/v1/automations', { params: { query: { limit: 200, after } } }));
    all.push(...page.data);
    after = page.next_cursor ?? undefined;
  } while (after);
  return all;
}
