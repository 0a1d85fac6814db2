import { Page } from '../../ui/Page';
import { texts } from './texts';

export default function Chat(props: { id?: string }) {
  const t = texts.use();
  return <Page title={t('title')}>{JSON.stringify(props)}</Page>;
}
