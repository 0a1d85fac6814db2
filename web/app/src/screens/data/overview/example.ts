import { api, body } from '../../../api/client';
import { exampleTexts } from './exampleTexts';

const weights = [73.1, 72.8, 72.9, 72.4, 72.5, 72.1, 72.2];

/** Creates a zone with a tool and a week of entries. Returns the tool's id. */
export async function makeExample(): Promise<string> {
  const t = exampleTexts.t;
  const zone = await body(
    api.POST('/v1/zones', { body: { name: t('zone'), description: t('zone.text'), colour: '#2f855a' } }),
  );
  const tool = await body(
    api.POST('/v1/tools', {
      body: {
        zone_id: zone.id,
        tool_type: 'tracking',
        name: t('tool'),
        description: t('tool.text'),
        config: { unit: 'kg', min: 0, max: 400 },
      },
    }),
  );
  const day = 86_400_000;
  const entries = weights.map((value, i) => ({
    timestamp: new Date(Date.now() - (weights.length - i) * day).toISOString(),
    data: { value },
  }));
  await api.POST('/v1/tools/{tool_id}/entries/batch', { params: { path: { tool_id: tool.id } }, body: { entries } });
  return tool.id;
}
