package completion

import (
	"fmt"
	"strings"

	"bayestream/internal/shell/config"
)

const zshScript = `#compdef %[1]s
# Completion of %[1]s for zsh. Made by "%[1]s --completion=zsh".
_%[1]s() {
    local curcontext=$curcontext state line
    local -a verbs=(
%[2]s    )
    _arguments -C '(- :)'{-h,--help}'[Show this page]' '(- :)--version[Show the version]' '1: :->verb' '*:: :->rest'
    case $state in
    verb)
        _describe -t verbs verb verbs
        ;;
    rest)
        case $words[1] in
        help)
            _describe -t verbs verb verbs
            ;;
%[3]s        esac
        ;;
    esac
}
if [ "$funcstack[1]" = "_%[1]s" ]; then
    _%[1]s "$@"
else
    compdef _%[1]s %[1]s
fi
`

func zsh(p Program) string {
	var verbs, rest strings.Builder
	for _, v := range p.Verbs {
		fmt.Fprintf(&verbs, "        %s\n", quoted(strings.ReplaceAll(v.Name, ":", `\:`)+":"+first(v.Summary)))
		fmt.Fprintf(&rest, "        %s)\n            _arguments \\\n", v.Name)
		for _, f := range v.Outline.Flags {
			fmt.Fprintf(&rest, "                %s \\\n", zshFlag(f))
		}
		for _, a := range v.Outline.Args {
			fmt.Fprintf(&rest, "                %s \\\n", zshArg(a))
		}
		rest.WriteString("                && return\n            ;;\n")
	}
	fmt.Fprintf(&verbs, "        %s\n", quoted("help:Explain a verb"))
	return fmt.Sprintf(zshScript, p.Name, verbs.String(), rest.String())
}

func zshFlag(f config.Parameter) string {
	name := "--" + f.Name + suffix(f)
	about := "[" + strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(first(f.Help)) + "]"
	if f.Repeated {
		name = "*" + name
	}
	if f.Switch {
		return quoted(name + about)
	}
	return quoted(name + about + ":" + f.Name + ":" + zshAction(f))
}

func zshArg(a config.Parameter) string {
	place := ":"
	if a.Repeated {
		place = "*:"
	}
	return quoted(place + a.Name + ":" + zshAction(a))
}

// zshAction says how a value is completed.
func zshAction(p config.Parameter) string {
	switch {
	case p.Files:
		return "_files"
	case len(p.Values) > 0:
		return "(" + strings.Join(p.Values, " ") + ")"
	}
	return ""
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
