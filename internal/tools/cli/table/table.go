// Package table lays out rows for a terminal: cells of a width in columns of the terminal, not in
// bytes, and the words that decided. What comes from outside is escaped, so that it cannot steer
// the terminal.
package table

import (
	"fmt"
	"math"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/escape"

	"github.com/clipperhouse/displaywidth"
)

// widths measures text as a terminal shows it: escape sequences take no room, and those behind a
// cut stay, so that no colour runs on.
var widths = displaywidth.Options{ControlSequences: true}

const ellipsis = "…"

// Width returns how many columns s takes.
func Width(s string) int { return widths.String(s) }

// Cut returns a line that we made, cut to n columns.
func Cut(s string, n int) string { return widths.TruncateString(s, n, ellipsis) }

// Clip makes s fit to be shown, in at most n columns.
func Clip(s string, n int) string { return Cut(escape.Text(s), n) }

// Pad returns s with spaces behind it, n columns in all.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Width(s))) }

// Cell returns s clipped to a column of a width, with two spaces behind it.
func Cell(s string, width int) string { return Pad(Clip(s, width-2), width) }

// Name returns the name of a class in a column of a width. A longer one loses its middle, since
// names often begin alike.
func Name(s string, width int) string {
	s = escape.Text(s)
	if Width(s) <= width {
		return Pad(s, width)
	}
	letters := []rune(s)
	room := width - Width(ellipsis)
	end := len(letters)
	for end > 0 && Width(string(letters[end-1:])) <= room/2 {
		end--
	}
	tail := string(letters[end:])
	return Pad(widths.TruncateString(s, room-Width(tail), "")+ellipsis+tail, width)
}

// Words lists the strongest terms, as words of the document, with their weights, as many as fit
// whole into a width, five at most. A minus marks those that spoke against the label.
func Words(evidence []model.Evidence, width int) string {
	const most = 5
	var list []string
	for _, e := range evidence {
		if e.Term == "" || len(list) == most {
			continue
		}
		list = append(list, fmt.Sprintf("%s %+.1f", Clip(e.Word(), 14), math.Round(10*e.Weight)/10))
		if n := len(list); Width(strings.Join(list, "  ")) > width {
			return strings.Join(list[:n-1], "  ")
		}
	}
	return strings.Join(list, "  ")
}
