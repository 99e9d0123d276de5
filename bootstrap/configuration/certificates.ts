import { X509Certificate } from 'node:crypto';
import type { Server } from './server-block.ts';

const begin = '-----BEGIN CERTIFICATE-----';

/** When the first certificate of a chain in PEM form ends, in milliseconds since the epoch. */
export const endOfChain = (chain: string): number => {
  // A PEM block may follow other text (RFC 7468, section 2); the parser ignores what comes after the block.
  const blocks = chain.split(begin).slice(1);
  return Math.min(...blocks.map((block) => Date.parse(new X509Certificate(begin + block).validTo)));
};

/** The certificates of both ports with the option that names their file; none for a port without TLS. */
export const certificatesOf = ({ tls, adminTls }: Server) => [
  ...(tls === null ? [] : [{ port: 'service', option: 'server.tls.certFile', endMs: endOfChain(tls.cert) } as const]),
  ...(adminTls === null
    ? []
    : [{ port: 'admin', option: 'server.adminTls.certFile', endMs: endOfChain(adminTls.cert) } as const]),
];

/** Certificates are usually renewed 30 days before their end, so a renewal has failed for two weeks. */
const warningMs = 14 * 24 * 3_600_000;

/** Warnings about certificates that have ended, or end within 14 days. */
export const certificateWarnings = (server: Server, nowMs = Date.now()): readonly string[] =>
  certificatesOf(server)
    .filter(({ endMs }) => endMs < nowMs + warningMs)
    .map(({ option, endMs }) => {
      const day = new Date(endMs).toISOString().slice(0, 10);
      const ends = endMs <= nowMs ? `a certificate ended on ${day}: clients refuse it` : `a certificate ends on ${day}`;
      return `${option}: ${ends}; renew it and restart the service`;
    });
