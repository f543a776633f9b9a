// Package dataset reads labelled and unlabelled documents from files: JSON Lines, CSV, plain text
// with a document a line, mails, mailboxes, and folders with one subfolder for each class. Gzip is
// recognised by its first bytes, "-" is standard input.
//
// Every record comes with the file and the line it is in, and so does every error. What is wrong
// with one record leaves the rest readable: whoever reads decides whether to stop or to pass over
// it.
package dataset
