package htmltext

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// The kinds of elements, as the HTML Standard has them.
type kind uint32

const (
	breaking   kind = 1 << iota // no part of a line, unless a style says otherwise
	voids                       // without content
	special                     // ended by its own end tag
	paragraphs                  // ends a paragraph that is open
	formats                     // goes on behind the end of its paragraph
	markers                     // formats do not go in or out
	tableParts
	tableContexts // text in it belongs before the table
	headings
	undrawn  // ends a drawing
	tables   // ends the search of a part of a table
	cells    // ends the search of a table that another one ends
	lists    // ends the search of an item
	buttons  // ends the search of a paragraph
	selects  // likewise, and no text of its own shows
	unfolded // shows in an element that shows nothing else
	ignored  // has no place in a body
)

// Scopes have the kinds that the search for an open element does not leave.
const (
	noScope     kind = 0
	plainScope       = markers | tables | selects
	listScope        = plainScope | lists
	buttonScope      = plainScope | buttons
)

// kinds has the elements of each kind.
var kinds = func() map[atom.Atom]kind {
	table := map[atom.Atom]kind{}
	add := func(k kind, elements string) {
		for name := range strings.FieldsSeq(elements) {
			table[atom.Lookup([]byte(name))] |= k
		}
	}
	add(breaking|special|paragraphs, `
		address article aside blockquote center details dir div dl fieldset figcaption figure footer
		form header hgroup main menu nav ol p section summary ul pre listing table xmp plaintext li
		dd dt hr`)
	add(breaking|special|paragraphs|headings, `h1 h2 h3 h4 h5 h6`)
	add(breaking|paragraphs, `dialog`)
	add(special, `body html`)
	add(special|ignored, `head frameset frame`)
	add(selects, `select`)
	add(unfolded, `summary option optgroup`)
	add(breaking|special, `button textarea title select br input`)
	add(breaking, `legend optgroup option`)
	add(breaking|special|tableParts, `caption colgroup col`)
	add(breaking|special|tableParts|markers, `td th caption`)
	add(breaking|special|tableParts|tableContexts, `tbody tfoot thead tr`)
	add(tableContexts, `table`)
	add(tables, `table template`)
	add(cells, `td th caption template`)
	add(lists, `ol ul`)
	add(buttons, `button`)
	add(special|markers, `applet marquee object template`)
	add(special, `iframe noembed noframes noscript script style foreignobject`)
	add(voids, `
		area base basefont bgsound br col embed frame hr img image input keygen link meta param
		source track wbr script style iframe noembed noframes`)
	add(formats, `a b big code em font i nobr s small strike strong tt u`)
	add(undrawn, `
		b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i
		img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul
		var`)
	return table
}()

func kindOf(id uint32) kind { return kinds[atom.Atom(id)] }

func isCell(a atom.Atom) bool { return a == atom.Td || a == atom.Th }

func isRowGroup(a atom.Atom) bool { return a == atom.Tbody || a == atom.Thead || a == atom.Tfoot }

// isBox reports the elements that have a height of their own: cells and tables grow with what is in
// them.
func isBox(k kind) bool { return k&paragraphs != 0 && k&tables == 0 }
