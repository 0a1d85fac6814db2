// Push notifications on this device: the browser subscribes at its push service, and the subscription is sent to
// the server.
import { api, body, newKey, type Schemas } from '../api/client';
import { Problem } from '../api/problem';
import { getLang } from '../i18n/lang';
import { browserName } from '../ui/browserName';
import { store, thisDevice, worker } from './register';

export type Device = Schemas['PushSubscription'];

/** Whether this browser can show push notifications, and if not, why. */
export type Able = 'yes' | 'install' | 'insecure' | 'unsupported' | 'denied';

/** An iPhone or iPad, where only installed pages get push notifications. A new iPad reports itself as a Mac. */
const isApple = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Mac OS') && navigator.maxTouchPoints > 1);

export function able(): Able {
  if (!window.isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return isApple() ? 'install' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'yes';
}

function remember(id: string | null): void {
  try {
    if (id) localStorage.setItem(store, id);
    else localStorage.removeItem(store);
  } catch {
    /* the next visit does not know of the subscription; the list of devices shows it */
  }
}

const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const refused = (code: string) => new Problem({ code, outcome: 'not_applied' });

/** Subscribes with the server's key. A subscription with another key is useless. */
async function subscribe(): Promise<PushSubscription> {
  const registration = await worker();
  if (!registration) throw refused('push_unsupported');
  const { public_key } = await body(api.GET('/v1/push-key'));
  const options = { userVisibleOnly: true, applicationServerKey: bytes(public_key) };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : '';
    if (name === 'NotAllowedError') throw refused('push_denied');
    if (name !== 'InvalidStateError') throw refused('push_service');
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

async function send(subscription: PushSubscription): Promise<Device> {
  const device = await body(
    api.POST('/v1/me/push-subscriptions', {
      params: { header: { 'Idempotency-Key': newKey() } },
      body: {
        ...(subscription.toJSON() as Pick<Schemas['NewPushSubscription'], 'endpoint' | 'expirationTime' | 'keys'>),
        name: browserName(navigator.userAgent).slice(0, 100),
        language: getLang(),
      },
    }),
  );
  remember(device.id);
  return device;
}

/** Requests permission, subscribes at the push service, and sends the subscription to the server. */
export async function turnOn(): Promise<Device> {
  if ((await Notification.requestPermission()) !== 'granted') throw refused('push_denied');
  return send(await subscribe());
}

/** Ends the notifications of a device; for this one also its subscription at the push service. */
export async function turnOff(id: string): Promise<void> {
  await api.DELETE('/v1/me/push-subscriptions/{push_subscription_id}', {
    params: { path: { push_subscription_id: id } },
  });
  if (id !== thisDevice()) return;
  remember(null);
  const registration = await worker().catch(() => null);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Renews the subscription at each visit: they expire, and push services change their addresses. */
export async function renew(): Promise<void> {
  if (!thisDevice() || able() !== 'yes' || Notification.permission !== 'granted') return;
  await send(await subscribe());
}
