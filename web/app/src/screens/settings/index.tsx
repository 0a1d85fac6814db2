import { Page } from '../../ui/Page';
import { texts } from './texts';

export default function Settings(props: { section?: string }) {
  const t = texts.use();
  return <Page title={t('title')}>{JSON.stringify(props)}</Page>;
}
