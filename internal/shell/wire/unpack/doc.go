// Package unpack reads files that may be packed: gzip, zstd, xz, bzip2, and a zip archive with one
// file. The first bytes of a file decide, not its name. Memory is bounded by the packings'
// dictionaries, not by what a file unpacks to.
package unpack
