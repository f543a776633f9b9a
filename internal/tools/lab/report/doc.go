// Package report writes an evaluation as one HTML page that needs nothing else: no network, no
// script, the pictures are inline SVG. It is readable in light and dark, and on paper. Equal
// evaluations give equal pages.
package report
