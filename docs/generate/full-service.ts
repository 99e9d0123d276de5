import { startLatchkey, type TestLatchkey } from '../../testing/start-latchkey.ts';

/**
 * Starts a service with every option that adds an operation or a refusal to its description: what is made from that
 * fits any service.
 */
export const startFullService = (): Promise<TestLatchkey> =>
  startLatchkey({ email: { tokenLifetime: '24h', resendInterval: '60s' }, throttle: {} });
