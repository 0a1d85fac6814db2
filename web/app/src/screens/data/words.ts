import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { texts as uiTexts } from '../../ui/texts';
import type { Column } from './columns';
import { texts } from './texts';

/** The names of fields and tool types: built-in ones in the page's language, others unchanged. */
export function useNames() {
  const t = texts.use();
  const own = (key: string, otherwise: string) => (t.has(key) ? t(key) : otherwise);
  return {
    field: (column: Pick<Column, 'name' | 'title'>) => column.title ?? own(`field.${column.name}`, column.name),
    type: (type: Pick<Schemas['ToolType'], 'id' | 'name' | 'built_in'>) =>
      type.built_in ? own(`type.${type.id}`, type.name) : type.name,
    about: (type: Schemas['ToolType']) =>
      type.built_in ? own(`type.${type.id}.text`, type.description) : type.description,
  };
}

/** Formats a value of an entry, with the unit of its tool. */
export function useValueText(tool?: Pick<Schemas['Tool'], 'config'>) {
  const f = useFormat();
  const ui = uiTexts.use();
  const unit = typeof tool?.config.unit === 'string' ? tool.config.unit : '';
  const decimals = typeof tool?.config.decimals === 'number' ? tool.config.decimals : 6;
  return {
    unit,
    number: (n: number) => f.number(n, decimals),
    text(value: unknown): string {
      if (value === undefined || value === null) return '';
      if (typeof value === 'number') return f.number(value, decimals);
      if (typeof value === 'boolean') return ui(value ? 'yes' : 'no');
      return typeof value === 'string' ? value : JSON.stringify(value);
    },
  };
}
