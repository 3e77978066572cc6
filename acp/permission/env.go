package permission

import (
	"slices"
	"strings"
)

// harmlessEnv reports whether the variables that a call sets only say how output is to look: any other may make a command another
// (PATH, GIT_EXTERNAL_DIFF, LD_PRELOAD, …).
func harmlessEnv(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for name, value := range v {
			text, ok := value.(string)
			if !ok || !harmlessVariable(name, text) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			switch item := item.(type) {
			case string:
				name, value, _ := strings.Cut(item, "=")
				return !harmlessVariable(name, value)
			case map[string]any:
				name, _ := item["name"].(string)
				value, _ := item["value"].(string)
				return !harmlessVariable(name, value)
			}
			return true
		})
	}
	return false
}

func harmlessVariable(name, value string) bool {
	switch name {
	case "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "LANG", "CI", "TZ":
		return true
	case "PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER":
		return value == "" || value == "cat"
	}
	return strings.HasPrefix(name, "LC_")
}
