import { useState } from 'react';
import { useLocation } from 'wouter';
import { Arrived } from './arrived';
import { List } from './list/List';
import { New } from './form/New';
import { One } from './one/One';

/** Automations: the list, a new one, or one of them. */
export default function Automations() {
  const [path] = useLocation();
  const [before, setBefore] = useState(path);
  const [moved, setMoved] = useState(false); // from one automation to another; the shell handles all other navigation
  if (before !== path) {
    setBefore(path);
    setMoved(true);
  }
  const id = decodeURIComponent(path.split('/')[2] ?? '');
  return <Arrived value={moved}>{id === 'new' ? <New /> : id ? <One key={id} id={id} /> : <List />}</Arrived>;
}
