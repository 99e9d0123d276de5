# The service as a container: `docker build -t latchkey .`, then
# `docker run -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v latchkey:/data -e LATCHKEY_WEB_APP_SECRET=… latchkey`.
# More is in docs/deployment.md.

ARG BASE=node:24-bookworm-slim

# What the service needs beside its own code: packages that bring their native parts ready-made.
FROM ${BASE} AS dependencies
# Builders behind a registry of their own name it; others leave it out.
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/build/no-compiler tools/build/no-compiler
# The sources of SQLite, and its binaries for other machines, are of no use in an image.
RUN npm ci --omit=dev --ignore-scripts \
  && cd node_modules/better-sqlite3 \
  && rm -rf deps src \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && node -e "new (require('better-sqlite3'))(':memory:')"

# The service itself. What the package offers to other programs has no place in an image.
FROM ${BASE} AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/build/no-compiler tools/build/no-compiler
# The image has Node.js already.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && cd dist && rm -rf types client.js* contract*.js* testing*.js*

FROM ${BASE}
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="A user account service" \
  org.opencontainers.image.licenses="MIT"
# Relative paths of a configuration, such as ./data/latchkey.db, lie in /data then.
WORKDIR /
# The group is the one that platforms give to users of their own choice.
RUN install --directory --owner=1000 --group=0 --mode=0770 /data \
  && ln -s /app/dist/latchkey.cjs /usr/local/bin/latchkey
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
