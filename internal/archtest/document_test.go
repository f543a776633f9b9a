package archtest

import (
	"go/ast"
	"go/token"
)

// checkDocuments returns every package without a comment and every exported
// name without one.
func checkDocuments(t *tree) []violation {
	var found []violation
	documented, first := map[string]bool{}, map[string]*file{}
	for i := range t.files {
		f := &t.files[i]
		documented[f.pkg] = documented[f.pkg] || f.syntax.Doc != nil
		if first[f.pkg] == nil {
			first[f.pkg] = f
		}
		if f.generated {
			continue
		}
		for _, decl := range f.syntax.Decls {
			for _, name := range undocumented(decl) {
				found = append(found, violation{"exported names are documented", t.line(name), name.Name + " has no comment", documentBecause})
			}
		}
	}
	for pkg, f := range first {
		if !documented[pkg] {
			found = append(found, violation{"packages are documented", f.name, pkg + " has no package comment", documentBecause})
		}
	}
	return found
}

// undocumented returns the exported names of a declaration that have no
// comment: neither of their own nor, for constants and variables, of the group.
func undocumented(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !wellKnown(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, spec := range d.Specs {
			names = append(names, undocumentedSpec(d, spec)...)
		}
		return names
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen != token.NoPos) {
			names = append(names, s.Name)
		}
	case *ast.ValueSpec:
		if s.Doc != nil || s.Comment != nil || d.Doc != nil {
			return nil
		}
		for _, name := range s.Names {
			if name.IsExported() {
				names = append(names, name)
			}
		}
	}
	return names
}

// wellKnown is true for the methods whose contract is the language's own.
func wellKnown(d *ast.FuncDecl) bool {
	return d.Recv != nil && (d.Name.Name == "Error" || d.Name.Name == "String" || d.Name.Name == "Unwrap")
}

// exportedReceiver is false for the methods of unexported types: their names
// are exported to satisfy an interface, whose comment holds.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	receiver := d.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return true
		}
	}
}
