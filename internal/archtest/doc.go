// Package archtest holds the project's architecture as tests: which package
// may import which, how long a file and a function may grow, and that every
// exported name is documented. Each rule says why it exists, and the failure
// prints that reason.
//
// The rules and the groups of packages stand in policy_test.go. A new package
// under internal must be entered in one group there. The checker reads the
// source of every non-test file, whatever its build tags; it runs over the
// module, and over small made-up modules that break each rule in turn.
//
// The form is that of the standard library's go/build deps_test.go.
package archtest
