# syntax=docker/dockerfile:1
# By digest, so that a build next month is of the same base; Dependabot proposes newer ones.
FROM node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
# No scripts: the image brings its own Node, which is all that they would install.
RUN npm ci --ignore-scripts
COPY scripts/build.mjs scripts/build-console.mjs ./scripts/
COPY tsconfig.json ./
COPY console ./console
COPY clients/typescript/src ./clients/typescript/src
COPY gen ./gen
COPY src ./src
RUN node scripts/build.mjs

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev
# What is installed, as CycloneDX. Without development dependencies in the manifest, since with them npm's --omit=dev leaves
# out every package that one of them needs, too.
RUN npm pkg delete devDependencies workspaces && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

FROM base
ENV NODE_ENV=production DATA_DIR=/data
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=build /app/dist ./dist
# The user `node`, as a number: Kubernetes' runAsNonRoot cannot check a name.
RUN mkdir -m 700 /data && chown 1000:1000 /data && ln -s /app/dist/latchkey.js /usr/local/bin/latchkey
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The certificate is for another name than this one, and who holds it is not what is asked here.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "const { HOST = '', PORT, TLS_CERT_FILE } = process.env; const host = ['', '0.0.0.0', '::'].includes(HOST.trim()) ? '127.0.0.1' : HOST.trim(); require(TLS_CERT_FILE?.trim() ? 'node:https' : 'node:http').get({ host, port: PORT?.trim() || 8080, path: '/healthz', rejectUnauthorized: false }, (res) => process.exit(res.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# As `npm start`; why these flags: docs/adr/0016-collect-garbage-in-short-pauses.md
CMD ["node", "--max-semi-space-size=16", "--no-parallel-scavenge", "--no-concurrent-array-buffer-sweeping", "dist/main.js"]
