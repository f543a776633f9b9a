// Package recount counts a training topic again in the plainest way, record by record, and says
// what the counts, the dead letters and the decisions must be. It shares no code with the workers
// but the tokenizer: JSON is read with encoding/json, sums
// are made with math/big, and the ledger is a list.
package recount
