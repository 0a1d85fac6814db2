# `make run` and `make test` do all the setup.
SHELL := /bin/bash
BIN   := bin/fermata
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
TOOLS := $(CURDIR)/.cache/bin
LINT  := $(TOOLS)/golangci-lint-2.15.0
export CGO_ENABLED ?= 0
export PATH := $(CURDIR)/.cache/node/bin:$(PATH)# a Node.js that scripts/need fetched comes first

.PHONY: help run build page test test-server test-page postgres mcp-servers check format lint vet generated imports examples clients image image-check release release-check chart screenshots second-opinion bench bench-round long fuzz clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: build ## run the server and the web app: SQLite in ./var, the demo provider, no key needed
	FERMATA_DATA_DIR=$${FERMATA_DATA_DIR:-./var} $(BIN) serve

build: page ## build bin/fermata, with the web app if Node.js is installed
	@scripts/need go
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/fermata

PAGE    := web/dist/index.html
MODULES := web/app/node_modules/.package-lock.json
page: ## build the web app into web/dist; without Node.js the server is built without it
	@if scripts/need node && $(MAKE) -s $(MODULES); then $(MAKE) -s $(PAGE); \
	elif test -f $(PAGE); then echo "the page cannot be built here: the server gets the one that was built last"; \
	else echo "the page cannot be built here: the server is built without it"; fi

# The folders are prerequisites too: they change when a file is deleted.
$(PAGE): $(MODULES) openapi.yaml $(wildcard web/app/*.*) $(shell find web/app/build web/app/src web/app/public ! -name schema.d.ts 2>/dev/null)
	@echo "building the web app"; cd web/app && npm run -s build
	@touch $@

$(MODULES): web/app/package.json web/app/package-lock.json
	@echo "fetching the build tools of the web app"; cd web/app && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

test: test-server test-page ## all tests: of the server, and of the web app in a real browser

# Not instrumented: SQLite, which is C translated to Go, guards its memory itself and migrates four times slower
# with the race detector. Calls into it, and all that surrounds them, are. (Only such a library: one that instantiates
# generic types of sync lends its copy of them to the whole program, which then has races that are none.) Without the symbols of a debugger
# each of 85 test programs links in two thirds of the time; the reports of the race detector do not need them.
RACE := -race -gcflags='modernc.org/...=-race=false' -ldflags='-s -w' -vet=off
test-server: postgres mcp-servers ## the server's tests, on SQLite and PostgreSQL, with the race detector
	@scripts/need go cc nginx pgbouncer patroni systemd prometheus
	CGO_ENABLED=1 go test $(RACE) -shuffle=on -timeout 40m ./...
	go test -tags conformance -run TestConformance ./handlers/mcpserver # the protocol's own suite, over fixtures

test-page: build ## the web app's tests: format, types, lint, units, and every screen in headless Chromium
	@scripts/need node chromium
	cd web/app && npm run -s check
	web/e2e/run.sh $(BIN) --tries 2

SHIP = VERSION=$(VERSION) COMMIT=$(COMMIT) SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct) go run ./scripts/ship
image: page ## build the container image without a container engine: bin/image/oci (two architectures), bin/image/fermata-image.tar (docker load)
	@scripts/need go
	@mkdir -p bin/image
	$(SHIP) image bin/image

image-check: image ## unpack the image, run it in an empty root as another user, and follow docs/operating.md with it (as root)
	@scripts/need node nginx prometheus
	FERMATA_IMAGE=$(CURDIR)/bin/image/oci go test -count=1 -run '^(TestImage|TestANewOperatorsWalk)$$' -v ./scripts/ship

release: page ## build archives for six platforms with checksums and bills of materials: bin/release
	@scripts/need go
	@rm -rf bin/release; mkdir -p bin/release
	$(SHIP) release bin/release

release-check: page ## build a release twice, in two places, and compare every byte
	@rm -rf bin/release-check; mkdir -p bin/release-check/one bin/release-check/two bin/release-check/elsewhere
	FERMATA_SHIP_TARGETS=linux-$$(go env GOARCH) $(SHIP) release bin/release-check/one
	git ls-files -z | tar --null -T - -cf - web/dist | tar -xf - -C bin/release-check/elsewhere
	cd bin/release-check/elsewhere && FERMATA_SHIP_TARGETS=linux-$$(go env GOARCH) $(SHIP) release $(CURDIR)/bin/release-check/two
	FERMATA_RELEASE=$(CURDIR)/bin/release-check/one FERMATA_RELEASE_AGAIN=$(CURDIR)/bin/release-check/two \
	  go test -count=1 -run '^TestTwoReleasesAreEqual$$' -v ./scripts/ship
	@rm -rf bin/release-check

chart: ## render the Helm chart as Helm does, and read it as Kubernetes does
	cd deploy/chart/check && go test ./...

screenshots: build ## create the pictures in docs/images with a scripted visit
	@scripts/need node chromium
	web/e2e/run.sh $(BIN) --screenshots

SERVERS := connectors/mcp/testdata/servers
mcp-servers: $(SERVERS)/node_modules/.package-lock.json ## install the third-party MCP servers for the tests, and the conformance runner

$(SERVERS)/node_modules/.package-lock.json: $(SERVERS)/package.json $(SERVERS)/package-lock.json
	@scripts/need node
	@echo "fetching the MCP servers for the tests"; cd $(SERVERS) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

postgres: ## install the PostgreSQL programs that the tests start
	@scripts/need postgres

check: format vet lint imports generated test examples clients chart image-check release-check ## run everything that CI checks

format: ## fail if gofmt would change a file
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt these files:"; echo "$$out"; exit 1; }

vet:
	go vet ./...
	go mod verify >/dev/null
	@go mod tidy -diff

lint: $(LINT) ## run golangci-lint with .golangci.yaml
	$(LINT) run ./...

$(LINT):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	@mv $(TOOLS)/golangci-lint $(LINT)

imports: ## check who may import whom (architecture), and the pinned libc of SQLite
	go test ./internal/house

generated: ## fail if a generated file is stale
	go generate ./api
	go test ./orchestrator/machine -run 'TestDocs' -count=1
	@git diff --exit-code -- api docs/state-machine.md || { echo "generated files are stale: commit what 'make generated' made"; exit 1; }

examples: build ## run examples/*.sh against a separate server
	examples/run-all.sh $(BIN)

clients: build ## generate clients from openapi.yaml with three generators, and use them
	@scripts/need node curl
	examples/clients/run.sh $(BIN)

AIMOCK := $(CURDIR)/.cache/second-opinion/node_modules/@copilotkit/aimock/dist/cli.js
second-opinion: ## run the chats against a third-party mock of the vendors (needs npm; not in CI)
	@scripts/need node
	@test -f $(AIMOCK) || npm install --silent --no-audit --no-fund --prefix .cache/second-opinion @copilotkit/aimock@1.43.0
	FERMATA_SECOND_OPINION=$(AIMOCK) go test -run TestSecondOpinion -count=1 -v ./app/e2e/vendors

bench-round: postgres ## benchmark chat rounds against the lower bound, in separate processes, with durable writes: prints one table
	FERMATA_TEST_FSYNC=on go test ./app/e2e/load -run '^$$' -bench '^BenchmarkRound$$' -count 1 -timeout 20m

bench: postgres ## run the benchmarks: the whole server against the lower bound, and its parts
	go test -run '^$$' -bench . -timeout 40m ./app/e2e/...
	go test -run '^$$' -bench . -benchtime 200ms ./repository/... ./prompt ./stream ./providers/...

# Without the race detector, which `make test` uses: with it 400 seeds alone take ninety minutes on two cores.
long: postgres ## the long sweeps: kill -9 in every phase, a database that fails over, random events, floods, fuzzing
	@scripts/need pgbouncer patroni
	FERMATA_LONG=1 go test -shuffle=on -timeout 150m ./app/e2e/... ./orchestrator/...
	FERMATA_LONG=1 go test -timeout 60m ./repository -run PgBouncer
	$(MAKE) -s fuzz

FUZZTIME ?= 60s
fuzz: ## run every fuzz target for FUZZTIME (60s), one after the other
	@git grep -hoE '^func Fuzz[A-Za-z0-9]+' -- '*_test.go' | sed 's/func //' | sort -u | while read -r target; do \
	  for file in $$(git grep -lE "^func $$target\(" -- '*_test.go'); do \
	    echo "$$target in $$(dirname $$file)"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$file) || exit 1; \
	  done; done

clean:
	rm -rf bin .cache
