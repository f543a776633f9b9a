// Package counts keeps the integer counts that a discrete model consists of.
//
// A Table holds, for every term t, the counts n_tc of the classes c that have it ("term-major
// rows": all that one token needs lies together). Classes names the classes and counts their
// documents. Both change only by signed integer addition, so that the order of changes does not
// matter, learning and unlearning cancel exactly, and replicas that saw the same changes are equal.
//
// What a term is depends on who uses the table: words of a text, or values of a categorical field.
//
// Invariants, checked by Table.Check and by the tests:
//   - a cell holds a count other than zero; a row without cells is out of the vocabulary;
//   - Total(c) is the sum of the cells of class c over all rows;
//   - a term without counts is removed at once, unless the table is frozen or a difference.
//
// Caveats: nothing here locks. Slices returned by Cells, Term and Live are views, valid until the
// next change.
package counts
