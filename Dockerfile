# The service as an image: production packages only, an ordinary user, signals straight to Node.
# Without DATABASE_URL it runs its embedded PostgreSQL and keeps everything in the volume /data.
#   docker build -t wallet-service . && docker run --init -p 127.0.0.1:3000:3000 -v wallet:/data wallet-service

FROM node:22-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts stay on: the one of the embedded PostgreSQL makes links that a read-only folder
# could not get later.
RUN npm ci --omit=dev --no-audit --no-fund

FROM dependencies AS build
COPY src ./src
COPY projections ./projections
COPY widget-ui ./widget-ui
# The compilers have done their work then and stay out of the image that runs.
RUN node src/launch/build.mjs && cd node_modules && \
    rm -rf esbuild @esbuild vite rollup @rollup preact swagger-ui-dist .bin

FROM node:22-bookworm-slim AS runtime
LABEL org.opencontainers.image.title="wallet-service" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    NODE_OPTIONS=--enable-source-maps \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
# Code belongs to root, only the data to the user that runs: a fault cannot rewrite the program.
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME ["/data"]
EXPOSE 3000
# Alive, not ready: a store that is away is no reason to kill a process that waits for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# As `npm start` has it: more room for what dies with its request, so that less of it is copied, and
# no clearing up while nothing happens, which the next rush would pay for.
CMD ["node", "--max-semi-space-size=64", "--no-memory-reducer", "dist/src/main.js", "serve"]
