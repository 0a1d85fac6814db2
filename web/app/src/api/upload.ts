// Uploads with progress, by XMLHttpRequest: fetch does not report it.
import { serverURL } from './base';
import { getLang } from '../i18n/lang';
import { newKey, type Schemas } from './client';
import { Problem, problemOf } from './problem';
import { chosenWorkspace, workspaceHeader } from './workspace';

const maxBytes = 10 * 1024 * 1024; // the server's limit

/** Sends a file; cancel aborts the upload. */
export function upload(
  file: File,
  onSent: (part: number) => void,
): { done: Promise<Schemas['File']>; cancel: () => void } {
  const request = new XMLHttpRequest();
  const done = new Promise<Schemas['File']>((resolve, reject) => {
    if (file.size > maxBytes) {
      reject(new Problem({ code: 'too_large', status: 413 }));
      return;
    }
    request.open('POST', serverURL('/v1/files'));
    request.setRequestHeader('Accept-Language', getLang());
    request.setRequestHeader('Idempotency-Key', newKey());
    if (chosenWorkspace()) request.setRequestHeader(workspaceHeader, chosenWorkspace());
    request.upload.addEventListener('progress', (e) => onSent(e.lengthComputable ? e.loaded / e.total : 0));
    request.addEventListener('error', () => reject(new Problem({ code: 'unreachable', retryable: true })));
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Schemas['File']);
      else void problemOf(new Response(request.responseText, { status: request.status })).then(reject);
    });
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  });
  return { done, cancel: () => request.abort() };
}

/** The content of a file, to show a picture or download it. */
export async function contentOfFile(id: string): Promise<Blob> {
  const workspace = chosenWorkspace();
  const response = await fetch(serverURL(`/v1/files/${encodeURIComponent(id)}`), {
    headers: workspace ? { [workspaceHeader]: workspace } : {},
  });
  if (!response.ok) throw await problemOf(response);
  return response.blob();
}
