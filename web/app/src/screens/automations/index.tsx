import { Page } from '../../ui/Page';
import { texts } from './texts';

export default function Automations() {
  const t = texts.use();
  return <Page title={t('title')}>{null}</Page>;
}
