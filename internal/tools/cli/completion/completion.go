// Package completion writes scripts that make bash, zsh and fish complete a command line: verbs,
// flags, the values of flags that have a few, and names of files.
//
// The scripts are made of the outlines of the commands themselves, so that they know what the
// parser knows. They are plain text that calls no program: completing costs nothing, and needs
// nothing installed but the shell.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/config"
)

// Program is a program whose first argument is a verb.
type Program struct {
	Name  string
	Verbs []Verb
}

// Verb is one of them.
type Verb struct {
	Name    string
	Summary string
	Outline config.Outline
}

// Script returns the script for bash, zsh or fish.
func Script(shell string, p Program) string {
	switch shell {
	case "bash":
		return bash(p)
	case "zsh":
		return zsh(p)
	}
	return fish(p)
}

func (p Program) names() []string {
	var out []string
	for _, v := range p.Verbs {
		out = append(out, v.Name)
	}
	return out
}

// first returns the first sentence of a help text, short enough for a list: what stands before a
// colon where it is long.
func first(help string) string {
	const most = 72
	if end := strings.Index(help, ". "); end >= 0 {
		help = help[:end]
	}
	help = strings.TrimSuffix(help, ".")
	for _, cut := range []string{": ", "; ", ", "} {
		if end := strings.Index(help, cut); len(help) > most && end > 0 {
			help = help[:end]
		}
	}
	return help
}

// bash splits at "=" too, so that --flag=value comes as three words.
const bashScript = `# Completion of %[1]s for bash 4 and later. Made by "%[1]s --completion=bash".
_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
    local flag= words= files= values=
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || [[ $verb == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W '%[2]s' -- "$cur")
        return
    fi
    if [[ $cur == = ]]; then
        flag=$prev cur=
    elif [[ $prev == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $prev == --* && $cur != -* ]]; then
        flag=$prev
    fi
    case "$verb $flag" in
%[3]s    esac
    if [[ -z $words$files ]]; then
        case "$verb" in
%[4]s        esac
        [[ $cur == -* ]] && files= || words=${values:-$words}
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _%[1]s %[1]s
`

func bash(p Program) string {
	var values, verbs strings.Builder
	for _, v := range p.Verbs {
		var flags []string
		for _, f := range v.Outline.Flags {
			if does := bashValue(f); does != "" {
				fmt.Fprintf(&values, "    '%s --%s') %s ;;\n", v.Name, f.Name, does)
			}
			flags = append(flags, "--"+f.Name+suffix(f))
		}
		fmt.Fprintf(&verbs, "        %s)\n            words='%s'\n%s            ;;\n", v.Name, strings.Join(flags, " "),
			bashArgs(v.Outline.Args))
	}
	return fmt.Sprintf(bashScript, p.Name, strings.Join(append(p.names(), "help", "--help", "--version"), " "),
		values.String(), verbs.String())
}

// suffix is what is between a flag and its value.
func suffix(f config.Parameter) string {
	if f.Switch {
		return ""
	}
	return "="
}

// bashValue says how the value of a flag is completed: "" for a switch, which has none.
func bashValue(f config.Parameter) string {
	switch {
	case f.Switch:
		return ""
	case f.Files:
		return "files=1"
	case len(f.Values) > 0:
		return "words='" + strings.Join(f.Values, " ") + "'"
	}
	return "return"
}

// bashArgs says what may be where no flag does.
func bashArgs(args []config.Parameter) string {
	for _, a := range args {
		if a.Files {
			return "            files=1\n"
		}
		if len(a.Values) > 0 {
			return "            values='" + strings.Join(a.Values, " ") + "'\n"
		}
	}
	return ""
}

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

func fish(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %[1]s for fish. Made by \"%[1]s --completion=fish\".\n", p.Name)
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "complete -c %s "+format+"\n", append([]any{p.Name}, args...)...)
	}
	line("-f")
	line("-n __fish_use_subcommand -l help -s h -d 'Show the first page'")
	line("-n __fish_use_subcommand -l version -d 'Show the version'")
	line("-n __fish_use_subcommand -a help -d 'Explain a verb'")
	line("-n '__fish_seen_subcommand_from help' -a %s", fishQuoted(strings.Join(p.names(), " ")))
	for _, v := range p.Verbs {
		line("-n __fish_use_subcommand -a %s -d %s", v.Name, fishQuoted(first(v.Summary)))
		on := fishQuoted("__fish_seen_subcommand_from " + v.Name)
		for _, f := range v.Outline.Flags {
			short := ""
			if f.Short != "" {
				short = " -s " + f.Short
			}
			line("-n %s -l %s%s%s -d %s", on, f.Name, short, fishValue(f), fishQuoted(first(f.Help)))
		}
		for _, a := range v.Outline.Args {
			if len(a.Values) > 0 {
				line("-n %s -a %s", on, fishQuoted(strings.Join(a.Values, " ")))
			}
		}
		if slices.ContainsFunc(v.Outline.Args, func(a config.Parameter) bool { return a.Files }) {
			line("-n %s -F", on)
		}
	}
	return b.String()
}

// fishValue says how the value of a flag is completed.
func fishValue(f config.Parameter) string {
	switch {
	case f.Switch:
		return ""
	case f.Files:
		return " -r -F"
	case len(f.Values) > 0:
		return " -x -a " + fishQuoted(strings.Join(f.Values, " "))
	}
	return " -x"
}

// fishQuoted puts a text between single quotes, in which fish reads \\ and \'.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
