// Koa and @koa/router with better-sqlite3: only reads a user.
import Router from '@koa/router';
import Database from 'better-sqlite3';
import Koa from 'koa';
import { columns, json } from './user.js';

const database = new Database(process.env.DATABASE, { readonly: true });
database.pragma(`cache_size = ${-Number(process.env.CACHE_KIB ?? 2000)}`);
const read = database.prepare(`SELECT ${columns} FROM users WHERE key = ?`).raw();

const router = new Router();
router.get('/users', (ctx) => {
  ctx.set('Content-Type', 'application/json');
  ctx.body = json(read.get(ctx.query.email.toLowerCase()));
});

const app = new Koa();
app.use(router.routes());
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.address().port}` }));
});
