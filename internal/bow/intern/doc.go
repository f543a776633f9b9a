// Package intern numbers byte strings, from 0 on.
//
// [Table] holds terms in one arena and finds them by their bytes; with Go's map in its place a
// tokenizer whose words are all known takes 40 to 55 % more time. [Index] is the hash table below
// it, for owners of terms that have a layout of their own. Both are arrays without pointers, for
// which the garbage collector has nothing to do.
//
// Hashes are seeded by the process, because strangers choose the terms: see [Hash].
package intern
