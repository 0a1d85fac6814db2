// Passkeys: converts between the JSON of WebAuthn and the browser's API.
import { Problem } from './problem';

type JSONValue = Record<string, unknown>;

const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const text = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

interface Named {
  id: string;
  type: PublicKeyCredentialType;
  transports?: AuthenticatorTransport[];
}

const named = (list: unknown): PublicKeyCredentialDescriptor[] =>
  ((list ?? []) as Named[]).map((one) => ({ ...one, id: bytes(one.id) }));

// asked runs a browser request and converts its errors to Problems.
async function asked(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    if (!window.isSecureContext || !window.PublicKeyCredential) throw new DOMException('', 'SecurityError');
    const answer = await question();
    if (answer) return answer as PublicKeyCredential;
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : '';
    if (name === 'SecurityError') throw new Problem({ code: 'passkey_elsewhere', outcome: 'not_applied' });
    if (name === 'InvalidStateError') throw new Problem({ code: 'passkey_known', outcome: 'not_applied' });
    if (name !== 'NotAllowedError' && name !== 'AbortError') throw thrown;
  }
  throw new Problem({ code: 'passkey_cancelled', outcome: 'not_applied' });
}

const envelope = (of: PublicKeyCredential, response: JSONValue): JSONValue => ({
  id: of.id,
  rawId: text(of.rawId),
  type: of.type,
  clientExtensionResults: {},
  response: { clientDataJSON: text(of.response.clientDataJSON), ...response },
});

/** Creates a passkey. */
export async function makePasskey(options: JSONValue): Promise<JSONValue> {
  const user = options.user as unknown as { id: string; name: string; displayName: string };
  const made = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        ...(options as unknown as PublicKeyCredentialCreationOptions),
        challenge: bytes(options.challenge as string),
        user: { ...user, id: bytes(user.id) },
        excludeCredentials: named(options.excludeCredentials),
      },
    }),
  );
  const response = made.response as AuthenticatorAttestationResponse;
  return envelope(made, {
    attestationObject: text(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/** Signs the server's challenge with one of the person's passkeys. */
export async function signWithPasskey(options: JSONValue): Promise<JSONValue> {
  const signed = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        ...(options as unknown as PublicKeyCredentialRequestOptions),
        challenge: bytes(options.challenge as string),
        allowCredentials: named(options.allowCredentials),
      },
    }),
  );
  const response = signed.response as AuthenticatorAssertionResponse;
  return envelope(signed, {
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    ...(response.userHandle ? { userHandle: text(response.userHandle) } : {}),
  });
}
