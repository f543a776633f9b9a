// Package completion writes scripts that make bash, zsh and fish complete a command line: verbs,
// flags, the values of flags that have a few, and names of files.
//
// The scripts are made of the outlines of the commands themselves, so that they know what the
// parser knows. They are plain text that calls no program: completing costs nothing, and needs
// nothing installed but the shell.
package completion
