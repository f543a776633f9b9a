package config

import (
	"fmt"
	"strings"

	"bayestream/internal/shell/config/version"

	"github.com/alecthomas/kong"
)

// Manual returns the manual page of a command, in the language of man(7): its help with headings.
func (o Outline) Manual() string {
	g := o.grammar
	b := &Roff{}
	b.Title(g.command.Name, g.command.Summary)
	b.Section("Synopsis")
	b.Paragraph(strings.TrimPrefix(g.usage(), "Usage: "))
	b.Section("Description")
	b.Paragraph(g.command.About)
	if g.command.Layered {
		b.Paragraph(aboutLayers)
	}
	if len(g.app.Model.Positional) > 0 {
		b.Section("Arguments")
	}
	for _, arg := range g.app.Model.Positional {
		b.Entry(arg.Summary(), arg.Help)
	}
	for _, section := range g.sections() {
		b.Section(section.title)
		for _, flag := range section.flags {
			head, notes := g.flagParts(flag)
			text := flag.Help
			if notes != "" {
				text += " (" + notes + ")"
			}
			b.Entry(head, text)
		}
	}
	if len(g.command.Examples) > 0 {
		b.Section("Examples")
	}
	for _, e := range g.command.Examples {
		b.Paragraph(heading(e.What))
		b.Typed(e.Type)
	}
	b.Section("Exit status")
	b.Paragraph(aboutExits)
	return b.String()
}

// Roff writes a manual page. Text is written as it reads: what man(7) would take for a request is
// escaped.
type Roff struct{ text strings.Builder }

// String returns the page.
func (r *Roff) String() string { return r.text.String() }

// Title begins the page of a command, "bayestream train", with its name and one sentence about it.
func (r *Roff) Title(command, summary string) {
	name := strings.ReplaceAll(command, " ", "-")
	fmt.Fprintf(&r.text, ".TH %s 1 \"\" \"%s\" \"Bayestream\"\n", roffText(strings.ToUpper(name)),
		roffText("Bayestream "+version.Read().Version))
	r.Section("Name")
	fmt.Fprintf(&r.text, "%s \\- %s\n", roffText(name), roffText(strings.TrimSuffix(summary, ".")))
}

// Section begins a section.
func (r *Roff) Section(title string) {
	fmt.Fprintf(&r.text, ".SH %s\n", roffText(strings.ToUpper(title)))
}

// Paragraph writes a paragraph.
func (r *Roff) Paragraph(text string) { fmt.Fprintf(&r.text, ".PP\n%s\n", roffText(text)) }

// Entry writes an entry of a list: what it is about in bold, and a text.
func (r *Roff) Entry(head, text string) {
	fmt.Fprintf(&r.text, ".TP\n\\fB%s\\fR\n%s\n", roffText(head), roffText(text))
}

// Typed writes a line as it is typed.
func (r *Roff) Typed(line string) {
	fmt.Fprintf(&r.text, ".PP\n.RS 4\n.nf\n%s\n.fi\n.RE\n", roffText(line))
}

// roffText escapes what is no text for man(7): backslashes, a dot or an apostrophe at the start of
// a line, and minus signs, which a page would show as hyphens that no shell knows.
func roffText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", `"`, `\(dq`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

// flagParts returns a flag as it is written, and what else the help says of it.
func (g *grammar) flagParts(flag *kong.Flag) (head, notes string) {
	head = "--" + flag.Name
	if flag.Short != 0 {
		head = fmt.Sprintf("-%c, --%s", flag.Short, flag.Name)
	}
	if !flag.IsBool() {
		head += "=" + flag.FormatPlaceHolder()
	}
	var all []string
	if flag.Required {
		all = append(all, "required")
	}
	if flag.Default != "" && !flag.IsBool() {
		all = append(all, "default: "+flag.Default)
	}
	_, dials := g.dst.(dialer)
	if (g.command.Layered || dials && connects(flag)) && flag.Name != "help" && flag.Name != "version" {
		all = append(all, "variable: "+variable(flag))
	}
	return head, strings.Join(all, ", ")
}
