# The image of Fermata: the program, its page inside, and nothing else. `make image` makes
# the same one without a container engine.
FROM node:24-bookworm-slim AS page
WORKDIR /src
COPY openapi.yaml ./
COPY web ./web
RUN cd web/app && npm ci --no-audit --no-fund --loglevel=error && npm run -s build

FROM golang:1.26-bookworm AS program
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/web/dist ./web/dist
ARG VERSION=dev
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -buildid= -X main.version=${VERSION} -X main.commit=${COMMIT}" -o /out/fermata ./cmd/fermata \
 && mkdir -p /root-of-image/data /root-of-image/tmp /root-of-image/etc \
 && chown 65532:65532 /root-of-image/data && chmod 0700 /root-of-image/data && chmod 1777 /root-of-image/tmp \
 && printf 'root:x:0:\nfermata:x:65532:\n' > /root-of-image/etc/group \
 && printf 'root:x:0:0:root:/:/fermata\nfermata:x:65532:65532:fermata:/data:/fermata\n' > /root-of-image/etc/passwd

FROM scratch
COPY --from=program /root-of-image/ /
COPY --from=program /out/fermata /fermata
ENV PATH=/ HOME=/data FERMATA_LISTEN=0.0.0.0:8080 FERMATA_DATA_DIR=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/fermata", "health"]
ENTRYPOINT ["/fermata"]
CMD ["serve"]
