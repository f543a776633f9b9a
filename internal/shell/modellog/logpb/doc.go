// Package logpb is the generated code of the model log's records; log.proto is their specification.
package logpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative log.proto
