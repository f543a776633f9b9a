package completion

import (
	"fmt"
	"strings"

	"bayestream/internal/shell/config"
)

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
		for _, f := range v.Outline.Flags {
			if does := bashValue(f); does != "" {
				fmt.Fprintf(&values, "    '%s --%s') %s ;;\n", v.Name, f.Name, does)
			}
		}
		var flags []string
		for _, f := range v.Outline.Flags {
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
