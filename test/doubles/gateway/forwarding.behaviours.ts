import { beforeAll, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/pki/certificate.ts';
import type { IssuedPair } from '../../../src/pki/issue.ts';
import { splitPem } from '../../../src/pki/pem.ts';
import { issueLeaf } from '../../../world/certificates.ts';
import { material } from '../../pki-material/material.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

/** What the service behind the gateway is told of a client. */
export function forwarding(subject: () => GatewayUnderTest): void {
  let root: IssuedPair;
  beforeAll(async () => {
    root = await material.root('a');
    await subject().hold(await subject().server(root), [root]);
  });
  const told = async (
    pair: Pick<IssuedPair, 'certificatePem' | 'keyPem'>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { ask, gateway } = subject();
    expect(await ask(pair, { headers })).toMatchObject({ outcome: 'answered' });
    return String(gateway.forwarded()?.['x-forwarded-client-cert']);
  };
  const expectedOf = (pem: string, rest: string): string => {
    const [block] = splitPem(pem);
    const digest = block?.kind === 'certificate' ? sha256Hex(block.der) : '';
    const encoded = pem.replace(
      /[\n +/=]/g,
      (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
    return `Hash=${digest};Cert="${encoded}";${rest}`;
  };

  test('digest, certificate, subject and names of the client, in this order', async () => {
    const client = await material.leaf(root, 'id-1', {
      subject: { commonName: 'id-1', organization: 'SAP SE', organizationalUnit: 'BTP Kyma Runtime', country: 'DE' },
      dnsNames: ['kyma-1.example.com', 'skr-webhook.kyma-system.svc'],
    });
    expect(await told(client)).toBe(
      expectedOf(
        client.certificatePem,
        'Subject="CN=id-1,OU=BTP Kyma Runtime,O=SAP SE,C=DE";URI=;DNS=kyma-1.example.com;DNS=skr-webhook.kyma-system.svc',
      ),
    );
  });

  test('letters that mean something in a name or a header stand in the subject as RFC 2253 has them', async () => {
    const commonName = 'Größe, "x" + #1; a=b\\c<d>';
    const client = await material.leaf(root, 'odd', {
      subject: { commonName, organization: ['SAP', 'Kyma'] },
      dnsNames: [],
    });
    expect(await told(client)).toBe(
      expectedOf(
        client.certificatePem,
        'Subject="CN=Gr\\C3\\B6\\C3\\9Fe\\, \\"x\\" \\+ #1\\; a=b\\\\c\\<d\\>,O=Kyma+O=SAP";URI=',
      ),
    );
  });

  test('a client without a name has an empty subject', async () => {
    const client = await material.leaf(root, 'none', { subject: {}, dnsNames: ['only.example.com'] });
    expect(await told(client)).toBe(expectedOf(client.certificatePem, 'Subject="";URI=;DNS=only.example.com'));
  });

  test('each URI is told as well', async () => {
    const client = await issueLeaf(root, { commonName: 'id-1', uris: ['spiffe://a/b', 'https://c/d'] });
    const [pem = ''] = client.certificatePem.split(/(?<=-----END CERTIFICATE-----\n)/);
    expect(await told(client)).toBe(expectedOf(pem, 'Subject="CN=id-1";URI=spiffe://a/b;URI=https://c/d'));
  });

  test('what a client says of itself under that name is replaced', async () => {
    const client = await material.leaf(root, 'id-1', { dnsNames: [] });
    const forged = { 'X-Forwarded-Client-Cert': 'Hash=00;Subject="CN=somebody-else"' };
    expect(await told(client, forged)).toBe(expectedOf(client.certificatePem, 'Subject="CN=id-1";URI='));
  });
}
