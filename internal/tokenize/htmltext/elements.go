package htmltext

import "golang.org/x/net/html/atom"

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
	add := func(k kind, elements ...atom.Atom) {
		for _, a := range elements {
			table[a] |= k
		}
	}
	add(breaking|special|paragraphs, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details,
		atom.Dir, atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.Header, atom.Hgroup, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Section, atom.Summary, atom.Ul,
		atom.Pre,
		atom.Listing, atom.Table, atom.Xmp, atom.Plaintext, atom.Li, atom.Dd, atom.Dt, atom.Hr)
	add(breaking|special|paragraphs|headings, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	add(breaking|paragraphs, atom.Dialog)
	add(special, atom.Body, atom.Html)
	add(special|ignored, atom.Head, atom.Frameset, atom.Frame)
	add(selects, atom.Select)
	add(unfolded, atom.Summary, atom.Option, atom.Optgroup)
	add(breaking|special, atom.Button, atom.Textarea, atom.Title, atom.Select, atom.Br,
		atom.Input)
	add(breaking, atom.Legend, atom.Optgroup, atom.Option)
	add(breaking|special|tableParts, atom.Caption, atom.Colgroup, atom.Col)
	add(breaking|special|tableParts|markers, atom.Td, atom.Th, atom.Caption)
	add(breaking|special|tableParts|tableContexts, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr)
	add(tableContexts, atom.Table)
	add(tables, atom.Table, atom.Template)
	add(cells, atom.Td, atom.Th, atom.Caption, atom.Template)
	add(lists, atom.Ol, atom.Ul)
	add(buttons, atom.Button)
	add(special|markers, atom.Applet, atom.Marquee, atom.Object, atom.Template)
	add(special, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Script, atom.Style, atom.Foreignobject)
	add(voids, atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Hr,
		atom.Img,
		atom.Image, atom.Input, atom.Keygen, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr,
		atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes)
	add(formats, atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike,
		atom.Strong, atom.Tt, atom.U)
	add(undrawn, atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl,
		atom.Dt,
		atom.Em, atom.Embed, atom.Font,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img,
		atom.Li,
		atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span,
		atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var)
	return table
}()

// kindOf returns the kinds of an element.
func kindOf(id uint32) kind { return kinds[atom.Atom(id)] }

func isCell(a atom.Atom) bool { return a == atom.Td || a == atom.Th }

func isRowGroup(a atom.Atom) bool { return a == atom.Tbody || a == atom.Thead || a == atom.Tfoot }

// isBox reports the elements that have a height of their own: cells and tables grow with what is in
// them.
func isBox(k kind) bool { return k&paragraphs != 0 && k&tables == 0 }
