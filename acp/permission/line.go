package permission

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// rest is the last word of a command pattern that stands for whatever follows.
const rest = "**"

// active are the characters by which a command line can do more than run one program with the words that are to be seen.
// Quoting does not help: shells differ in what quotes do, and cmd.exe takes 'a & b' for two commands.
const active = ";&|<>(){}$`\\"

// activeOnWindows act in cmd.exe before a line is cut into commands.
const activeOnWindows = "%^!"

// separators join commands.
const separators = ";&|\n\r"

func checkCommandPattern(pattern string) error {
	words := splitBlanks(pattern)
	if len(words) == 0 {
		return errors.New("it is empty")
	}
	if slices.Contains(words[:len(words)-1], rest) {
		return errors.New("** may only be the last word")
	}
	if i := strings.IndexAny(pattern, active+`'"`); i >= 0 {
		return fmt.Errorf("no word of a command has %q in it", pattern[i])
	}
	return checkWord(pattern)
}

func splitBlanks(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' })
}

// allowsLine reports whether every command of a line matches one of the patterns. Without operators there must be one.
func allowsLine(patterns [][]string, line string, operators bool) bool {
	commands := []string{line}
	if operators {
		// Where errors go is no doing of the command's. Cutting inside of quotes leaves them open, which does not pass.
		line = regexp.MustCompile(`(?m)(^|[ \t])2>&1($|[ \t;&|])`).ReplaceAllString(line, "$1$2")
		commands = strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(separators, r) })
	}
	for _, command := range commands {
		words, ok := plainWords(command)
		if operators && strings.Trim(command, " \t") == "" {
			continue // between && and after the last ;
		}
		if !ok || !slices.ContainsFunc(patterns, func(p []string) bool { return matchWords(p, words) }) {
			return false
		}
	}
	return strings.Trim(line, " \t"+separators) != ""
}

// plainWords cuts a line into words as every shell would. It reports false if shells may do anything else with it.
func plainWords(line string) (words []string, ok bool) {
	if strings.ContainsAny(line, active) || runtime.GOOS == "windows" && strings.ContainsAny(line, activeOnWindows) {
		return nil, false
	}
	var word strings.Builder
	inWord := false
	quote := rune(0)
	for _, r := range line {
		switch {
		case r != '\t' && isControl(r):
			return nil, false
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0 && len(words) > 0
}

// matchWords reports whether a pattern stands for exactly these words.
func matchWords(pattern, words []string) bool {
	if last := len(pattern) - 1; pattern[last] == rest {
		pattern = pattern[:last]
		words = words[:min(len(words), last)]
	}
	return slices.EqualFunc(pattern, words, wild)
}

// touchesLine reports whether the words of one of the patterns stand next to each other somewhere in a line, whatever they
// are wrapped in: sudo, another shell, a substitution. It is a net and no fence, since a shell can write a word in countless ways.
func touchesLine(patterns [][]string, line string) bool {
	line = strings.NewReplacer("\\\r\n", "", "\\\n", "", "${IFS}", " ", "$IFS", " ", "'", "", `"`, "", "^", "").Replace(line)
	for _, text := range []string{strings.ReplaceAll(line, `\`, ""), strings.ReplaceAll(line, `\`, "/")} {
		words := strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune(active, r) })
		for i := range words {
			if slices.ContainsFunc(patterns, func(p []string) bool { return beginsWith(words[i:], p) }) {
				return true
			}
		}
	}
	return false
}

// beginsWith reports whether words begin with those of a pattern, the program with or without its folder.
func beginsWith(words, pattern []string) bool {
	if last := len(pattern) - 1; pattern[last] == rest {
		pattern = pattern[:last]
	}
	if len(words) < len(pattern) {
		return false
	}
	for i, p := range pattern {
		if !wild(p, words[i]) && (i > 0 || !wild(p, path.Base(words[i]))) {
			return false
		}
	}
	return true
}
