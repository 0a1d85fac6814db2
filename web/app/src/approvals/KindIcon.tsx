import {
  CircleCheck,
  CircleQuestionMark,
  FileDiff,
  LogIn,
  MonitorSmartphone,
  RotateCcw,
  SearchCheck,
  Wallet,
  type LucideIcon,
} from 'lucide-react';
import { Icon } from '../ui/Icon';
import type { Approval } from './decide';

const icons: Record<Approval['kind'], LucideIcon> = {
  actions: FileDiff,
  question: CircleQuestionMark,
  budget: Wallet,
  completion: CircleCheck,
  outcome: SearchCheck,
  poisoned: RotateCcw,
  reconnect: LogIn,
  client_calls: MonitorSmartphone,
};

/** The kind of answer wanted; the word is beside the icon. */
export const KindIcon = ({ kind }: { kind: Approval['kind'] }) => <Icon of={icons[kind] ?? CircleQuestionMark} />;
