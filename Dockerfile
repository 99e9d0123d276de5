# The service as a container: `docker build -t latchkey .`, then
# `docker run -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v latchkey:/data -e LATCHKEY_WEB_APP_SECRET=… latchkey`.
# See docs/deployment.md.

ARG BASE=node:24-bookworm-slim

# The packages with native code, as prebuilt binaries, and the MongoDB driver. Every other dependency is bundled into dist/,
# so that a fix in one of them means a new release of Latchkey. Nothing is compiled.
#
# BASE may be any image with Node.js 22.22 or newer and npm; the service is tested on 22, 24 and 26.
FROM ${BASE} AS dependencies
# Only for builds with a private registry.
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/build/no-compiler tools/build/no-compiler
# Remove the sources of SQLite and its binaries for other platforms, then check that a remaining one loads. There are two:
# for glibc (linux-…) and for musl, such as on Alpine (linuxmusl-…).
RUN npm ci --omit=dev --ignore-scripts \
  && cd node_modules/better-sqlite3 \
  && rm -rf deps src \
  && find prebuilds -type f ! -name "linux*-$(node -p process.arch).node" -delete \
  && node -e "new (require('better-sqlite3'))(':memory:')"

# The service itself, without the modules that the package publishes for other programs.
FROM ${BASE} AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/build/no-compiler tools/build/no-compiler
# --ignore-scripts: the base image has Node.js, so the one in devDependencies is not installed.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && cd dist && rm -rf cache types client.js* contract*.js* testing*.js*

FROM ${BASE}
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="A user account service" \
  org.opencontainers.image.licenses="MIT"
# With this directory, relative paths in a configuration, such as ./data/latchkey.db, are in /data.
WORKDIR /
# Group 0, because platforms that assign arbitrary user ids, such as OpenShift, use this group.
RUN install --directory --owner=1000 --group=0 --mode=0770 /data \
  && ln -s /app/dist/latchkey.cjs /usr/local/bin/latchkey
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json LICENSE /app/
COPY config/container.yaml /etc/latchkey/latchkey.yaml
# libuv's threads compute password hashes, at most one for each core; the rest serve file access and DNS lookups.
# By default the C library keeps up to eight pools of memory for each core, which hold some 10 MiB that nothing uses.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  UV_THREADPOOL_SIZE=32 \
  LATCHKEY_CONFIG=/etc/latchkey/latchkey.yaml
# A number, because Kubernetes cannot tell from a name that the user is not root.
USER 1000
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The exec form: Latchkey is process 1 and receives signals directly.
ENTRYPOINT ["latchkey"]
CMD ["serve"]
