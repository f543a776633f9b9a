// Package counts keeps the integer counts that a discrete model consists of.
//
// A Table holds, for every term t, the counts n_tc of the classes c that have it, in one row: all
// that one token needs lies together. Classes numbers the classes and counts their documents. A
// Difference adds up the counts of documents, learned or taken out, and gives them as Terms;
// Table.Apply adds those. All changes are additions of signed integers, so their order does not
// matter, learning and unlearning cancel exactly, and replicas that saw the same changes are equal.
//
// What a term is depends on the table: a word of a text, a value of a categorical field, a bin of a
// histogram. Its row is its index in the table; its number is its index in a bow.Lexicon.
//
// Invariants, checked by Table.Check and by the tests:
//   - a cell holds a positive count, of a signed table any but 0; a row without cells is out of the vocabulary;
//   - the cells of a row ascend by class;
//   - Total(c) is the sum of the cells of class c over all rows, Digest(c) the sum of the cells
//     times the weights of their terms;
//   - a row without cells is removed at once, unless the table is frozen.
//
// Caveats: nothing here locks. Slices returned by Cells and Live are views, valid until the
// next change.
package counts
