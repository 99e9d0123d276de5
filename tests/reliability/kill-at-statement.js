// Preloaded into a service under test. Kills it before or after a run of an SQL statement of SQLite, as the environment
// variable KILL_AT says: `{"start":"INSERT INTO users","runs":3,"isAfter":false}`.
import Database from 'better-sqlite3';

const { start, runs, isAfter } = JSON.parse(process.env.KILL_AT);
const { prepare } = Database.prototype;
let seen = 0;

const kill = () => process.kill(process.pid, 'SIGKILL');

Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (!sql.startsWith(start)) return statement;
  const { run } = statement;
  statement.run = (...values) => {
    const isChosen = ++seen === runs;
    if (isChosen && !isAfter) kill();
    const result = run.apply(statement, values);
    if (isChosen) kill();
    return result;
  };
  return statement;
};
