import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCa, issueLeaf } from '../../world/certificates.ts';

/** A `ValidatingWebhook` that a test answers for. */
export interface WebhookServer {
  readonly url: string;
  /** PEM of the authority that signed its certificate. */
  readonly caPem: string;
  /** `request` of every review that came in, oldest first. */
  readonly requests: Record<string, unknown>[];
  /** What is answered from now on; `silence`: nothing at all. */
  answer: { readonly allowed: boolean; readonly [field: string]: unknown } | 'silence' | 'nonsense';
  stop(): Promise<void>;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const ca = await createCa({ commonName: 'webhook-ca' });
  const leaf = await issueLeaf(ca, { commonName: 'webhook', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const requests: Record<string, unknown>[] = [];
  const server = createServer({ cert: leaf.certificatePem, key: leaf.keyPem }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { request: Record<string, unknown> };
      requests.push(review.request);
      if (webhook.answer === 'silence') return;
      outgoing.setHeader('content-type', 'application/json');
      if (webhook.answer === 'nonsense') return void outgoing.end('{}');
      const response = { uid: review.request['uid'], ...webhook.answer };
      outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook: WebhookServer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/validate`,
    caPem: ca.certificatePem,
    requests,
    answer: { allowed: true },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return webhook;
}
