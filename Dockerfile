# The service as a container: `docker build -t latchkey .`, then
# `docker run -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v latchkey:/data -e LATCHKEY_WEB_APP_SECRET=… latchkey`.
# More is in docs/deployment.md.

ARG BASE=node:24-bookworm-slim

# What the service needs to run. Native parts are compiled where none is to be had ready-made.
FROM ${BASE} AS dependencies
RUN apt-get update \
  && apt-get install --yes --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
# Builders behind a registry of their own name it; others leave it out.
ARG NPM_CONFIG_REGISTRY
# A base image that came without the headers of Node.js gets those of the same release.
ENV npm_config_nodedir=/usr/local
RUN test -e /usr/local/include/node/node.h \
  || (npm pack --silent --pack-destination /tmp \
    "node-linux-$(node -p process.arch)@$(node -p process.versions.node)" \
  && tar -xzf /tmp/node-linux-*.tgz -C /usr/local --strip-components=1 package/include)
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Once compiled, nobody reads the sources and the leftovers of SQLite any more.
RUN npm ci --omit=dev \
  && cd node_modules/better-sqlite3 && rm -rf deps src build/deps build/Release/obj* build/Release/*.a \
  && node -e "new (require('better-sqlite3'))(':memory:')"

# The compiled service. Compilers written in TypeScript and Go need nothing native.
FROM ${BASE} AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# What the package offers to other programs has no place in a service.
RUN npm run build && cd dist && rm -rf .tsbuildinfo build client testing tests \
  && chmod 755 program/main.js

FROM ${BASE}
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="A user account service" \
  org.opencontainers.image.licenses="MIT"
# Relative paths of a configuration, such as ./data/latchkey.db, lie in /data then.
WORKDIR /
# The group is the one that platforms give to users of their own choice.
RUN install --directory --owner=1000 --group=0 --mode=0770 /data \
  && ln -s /app/dist/program/main.js /usr/local/bin/latchkey
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json LICENSE /app/
COPY config/container.yaml /etc/latchkey/latchkey.yaml
# Password hashes run in the threads of libuv, one for each core; the others are left for files and names of hosts.
ENV NODE_ENV=production \
  UV_THREADPOOL_SIZE=32 \
  LATCHKEY_CONFIG=/etc/latchkey/latchkey.yaml
# A number, because an orchestrator can't tell from a name that it is not root.
USER 1000
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It becomes the first process, and gets the signals itself.
ENTRYPOINT ["latchkey"]
CMD ["serve"]
