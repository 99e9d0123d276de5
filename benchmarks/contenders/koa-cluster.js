// WORKERS processes of the server of koa-sqlite.js that share a port. Each says when it listens.
import cluster from 'node:cluster';

if (cluster.isPrimary) for (let started = 0; started < Number(process.env.WORKERS); started++) cluster.fork();
else await import('./koa-sqlite.js');
