package backends

import (
	"fmt"
	"strings"
)

// fill puts the folders in place of the placeholders of a text that was checked.
func fill(text, cwd, home string) string {
	filled, _ := expand(text, map[string]string{"cwd": cwd, "home": home})
	return filled
}

// checkPlaceholders says what is wrong with the braces of a text.
func checkPlaceholders(text string) []string {
	_, faults := expand(text, map[string]string{"cwd": "", "home": ""})
	return faults
}

// expand replaces {name} by its value, and {{ and }} by one brace. Values are not looked at again, so that a folder may have braces in
// its name.
func expand(text string, values map[string]string) (expanded string, faults []string) {
	var b strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		brace := text[i]
		text = text[i+1:]
		if text != "" && text[0] == brace {
			b.WriteByte(brace)
			text = text[1:]
			continue
		}
		if brace == '}' {
			faults = append(faults, "a stray }: write }} for a brace")
			continue
		}
		end := strings.IndexAny(text, "{}")
		if end < 0 || text[end] == '{' {
			faults = append(faults, "a stray {: write {{ for a brace")
			continue
		}
		value, ok := values[text[:end]]
		if !ok {
			faults = append(faults, fmt.Sprintf("there is no placeholder {%s}: there are {cwd} and {home}, and {{ and }} for braces", clip(text[:end])))
		}
		b.WriteString(value)
		text = text[end+1:]
	}
	return b.String(), faults
}
