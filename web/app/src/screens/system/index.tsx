import { Page } from '../../ui/Page';
import { texts } from './texts';

export default function System() {
  const t = texts.use();
  return <Page title={t('title')}>{null}</Page>;
}
