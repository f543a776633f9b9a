# The tasks of a day. `bash .ci/run` is the check of a change: it runs them all, and installs what is missing.
LINT = $(shell sed -n 's/^LINT=\([^ ]*\).*/\1/p' .ci/run)
GORELEASER = $(shell sed -n 's/^ *version: \(v2[^ ]*\)$$/\1/p' .github/workflows/release.yml)
TOOLS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/bayestream

.PHONY: help build test lint race kafka chaos quickstart browser parity tools largesets fuzz docs bench size release ci

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

build: ## binaries to bin/
	go build -o bin/ ./cmd/...
test: ## all that needs no program but Go, bash and gzip; the broker is in the process (some minutes)
	go test ./...
lint: ## gofmt, go vet and golangci-lint (which .ci/run installs); silent if all is well
	test -z "$$(gofmt -l .)" && go vet ./... && $(TOOLS)/golangci-lint-$(LINT)/golangci-lint run ./...
race: ## the tests with the race detector (twice as long)
	go test -race -timeout 30m ./...
kafka: ## the Kafka suites on Apache Kafka from Maven Central, on loopback (Java 17, Maven)
	test/kafka/run.sh
chaos: ## faults of processes, brokers, topics, networks, disks, files, and a recount (Java 17, Maven, root, strace)
	go run ./test/chaos --for 10m
quickstart: ## the commands of docs/quickstart.md on Apache Kafka (Java 17, Maven, Python 3)
	test/quickstart/run.sh
browser: ## reports, pages of workers and the console in Chromium, on Kafka (chromium, Java 17, Maven)
	test/kafka/run.sh test/browser/run.sh
parity: ## decisions and reference values beside scikit-learn, mails beside Python's email (Python 3.11)
	test/parity/run.sh
	test/mail/run.sh
tools: ## completion, systemd units, static binaries, the package in another module, the Python client (fish, zsh, systemd, python3)
	go test -tags tools . ./cmd/bayestream ./deploy ./internal/shell/store ./test/python
largesets: ## data sets that may not be republished (BAYESTREAM_DATA names their folder)
	go test -tags largesets -run Large ./docs ./internal/shell/wire/mail
fuzz: ## each fuzz target for 10 seconds; test/fuzz/run.sh 10m for longer
	test/fuzz/run.sh
docs: ## documents as tests: links, sentences, what they say of the code
	go test ./docs
bench: ## the benchmarks of your change beside its base
	bench/compare.sh
size: ## how large the project is
	go run ./test/size
release: ## archives, checksums and bills of materials of all systems to dist/, without a tag (minutes, to build goreleaser)
	go run github.com/goreleaser/goreleaser/v2@$(GORELEASER) release --snapshot --clean
ci: ## all of it, as the check of a change
	bash .ci/run
