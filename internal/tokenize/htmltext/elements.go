package htmltext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// raw reports the elements whose content is one raw text, of which nothing is shown.
func raw(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes:
		return true
	}
	return false
}

// never reports the other elements of which nothing is shown.
func never(tag atom.Atom) bool {
	switch tag {
	case atom.Template, atom.Object, atom.Applet, atom.Select, atom.Datalist, atom.Svg, atom.Math:
		return true
	}
	return false
}

// breaks reports the elements that are not part of a line.
func breaks(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Button, atom.Caption,
		atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Head, atom.Header, atom.Hr, atom.Html, atom.Input, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav,
		atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section, atom.Select, atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// hidingAttribute reports whether an attribute hides its element.
func hidingAttribute(key string, value []byte) bool {
	if key == "hidden" {
		return true
	}
	if key != "style" {
		return false
	}
	for declaration := range bytes.SplitSeq(bytes.ToLower(value), []byte(";")) {
		property, setting, _ := strings.Cut(string(declaration), ":")
		setting, _, _ = strings.Cut(setting, "!") // important
		if hidingStyle(strings.TrimSpace(property), strings.TrimSpace(setting)) {
			return true
		}
	}
	return false
}

// hidingStyle reports whether one declaration of a style attribute hides.
func hidingStyle(property, value string) bool {
	switch property {
	case "display":
		return value == "none"
	case "visibility":
		return value == "hidden"
	case "font-size":
		number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
		return number != "" && strings.Trim(number, "0.") == ""
	}
	return false
}
