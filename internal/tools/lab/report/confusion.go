package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/tools/lab/evaluate"
)

// maxRows is how many classes the confusion table shows; the others share one row and column.
const maxRows = 15

// matrix is the confusion table with the shares of its rows.
type matrix struct {
	Labels  []string
	Heads   []string // of the columns: the labels, or numbers where one is too long
	Rows    []matrixRow
	Others  int  // classes in the last row and column
	Without bool // the last column counts documents that got no label
	Upright bool // the heads of the columns are written upwards
}

type matrixRow struct {
	Label  string
	Number string // of the column, if its head is a number
	N      int64
	Cells  []matrixCell
}

type matrixCell struct {
	N     int64
	Share float64 // of the row
	Hit   bool
	Mixed bool // hits and misses among the other classes
}

// Shade is the strength of a cell's colour in per cent.
func (c matrixCell) Shade() int { return int(math.Round(45 * math.Sqrt(c.Share))) }

// newMatrix returns the table of the classes with the most documents.
func newMatrix(c *evaluate.Confusion, r *evaluate.Report) *matrix {
	m := &matrix{Labels: slices.Clone(c.Labels), Without: c.Unlabelled != nil}
	shown := c.Labels
	if len(c.Labels) > maxRows+1 { // a row of others that holds one class would save nothing
		shown = largest(r, maxRows)
		slices.Sort(shown)
		m.Others = len(c.Labels) - len(shown)
		m.Labels = append(slices.Clone(shown), fmt.Sprintf("%d others", m.Others))
	}
	place := make([]int, len(c.Labels)) // the row of each class in the table
	for i, name := range c.Labels {
		place[i] = len(shown)
		if at, ok := slices.BinarySearch(shown, name); ok {
			place[i] = at
		}
	}
	width := len(m.Labels)
	if m.Without {
		width++
	}
	sums := make([][]int64, len(m.Labels))
	for i := range sums {
		sums[i] = make([]int64, width)
	}
	for i, counts := range c.Rows {
		for j, n := range counts {
			sums[place[i]][place[j]] += n
		}
		if m.Without {
			sums[place[i]][width-1] += c.Unlabelled[i]
		}
	}
	m.fill(sums)
	m.head()
	return m
}

// longestHead is how many letters the head of a column may have.
const longestHead = 24

// head names the columns: by their labels, written upwards if they are too wide, or by numbers if
// one is too long.
func (m *matrix) head() {
	letters := 0
	longest := 0
	for _, label := range m.Labels {
		n := utf8.RuneCountInString(label)
		letters += max(4, n)
		longest = max(longest, n)
	}
	m.Heads = m.Labels
	if longest > longestHead {
		m.Heads = make([]string, len(m.Labels))
		for i := range m.Rows {
			m.Heads[i] = strconv.Itoa(i + 1)
			m.Rows[i].Number = m.Heads[i]
		}
		return
	}
	m.Upright = letters > 60
}

// fill makes the rows of their counts.
func (m *matrix) fill(sums [][]int64) {
	for i, counts := range sums {
		row := matrixRow{Label: m.Labels[i]}
		for _, n := range counts {
			row.N += n
		}
		for j, n := range counts {
			last := m.Others > 0 && i == len(m.Labels)-1 && j == i
			row.Cells = append(row.Cells,
				matrixCell{N: n, Share: float64(n) / float64(max(row.N, 1)), Hit: i == j && !last, Mixed: last})
		}
		m.Rows = append(m.Rows, row)
	}
}
