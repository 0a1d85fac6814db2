import { useLocation } from 'wouter';
import { List } from './List';
import { New } from './New';
import { One } from './One';

/** Automations: the list, a new one, or one of them. */
export default function Automations() {
  const [path] = useLocation();
  const id = decodeURIComponent(path.split('/')[2] ?? '');
  if (id === 'new') return <New />;
  return id ? <One key={id} id={id} /> : <List />;
}
