# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No scripts: the image brings its own Node, which is all that they would install.
RUN npm ci --ignore-scripts
COPY scripts/build.mjs ./scripts/
COPY gen ./gen
COPY src ./src
RUN node scripts/build.mjs

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production DATA_DIR=/data
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The certificate is for another name than this one, and who holds it is not what is asked here.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "const { HOST = '', PORT, TLS_CERT_FILE } = process.env; const host = ['', '0.0.0.0', '::'].includes(HOST.trim()) ? '127.0.0.1' : HOST.trim(); require(TLS_CERT_FILE?.trim() ? 'node:https' : 'node:http').get({ host, port: PORT?.trim() || 8080, path: '/healthz', rejectUnauthorized: false }, (res) => process.exit(res.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# As `npm start`; why these flags: docs/adr/0016-collect-garbage-in-short-pauses.md
CMD ["node", "--max-semi-space-size=16", "--no-parallel-scavenge", "--no-concurrent-array-buffer-sweeping", "dist/main.js"]
