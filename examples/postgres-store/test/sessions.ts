import { Client } from 'pg';

/** A session of another client. */
export const connected = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
};

/** Resolves when a session waits for a lock, or when none does. */
export const untilWaiting = async (connectionString: string, expected: boolean): Promise<void> => {
  const client = await connected(connectionString);
  const query = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  while (((await client.query(query)).rowCount !== 0) !== expected)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await client.end();
};
