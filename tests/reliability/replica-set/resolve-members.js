// Preloaded into a service under test. Resolves the names of the members to the addresses in MEMBER_ADDRESSES, a JSON
// object, so that each service reaches the members through proxies of its own.
import dns from 'node:dns';

const addresses = JSON.parse(process.env.MEMBER_ADDRESSES);
const { lookup } = dns;

dns.lookup = (hostname, options, callback) => {
  const address = addresses[hostname];
  if (address === undefined) return lookup(hostname, options, callback);
  const done = callback ?? options;
  process.nextTick(() => (options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)));
};
