package parity

import (
	"encoding/xml"
	"io"
	"slices"
)

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Skipped  int           `xml:"skipped,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report in the XML that services for continuous integration read: a suite for each backend, a case for each cell. An
// expected failure is a case that was skipped, since that form has nothing closer; what is undeclared passes, with a note. Characters that
// XML cannot have are replaced.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "parity"}
	for _, c := range r.Results {
		i := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == c.Backend })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, &junitSuite{Name: c.Backend})
		}
		suite, test := all.Suites[i], junitOf(c)
		suite.Cases = append(suite.Cases, test)
		suite.Tests++
		all.Tests++
		if test.Failure != nil {
			suite.Failures++
			all.Failures++
		}
		if test.Skipped != nil {
			suite.Skipped++
			all.Skipped++
		}
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

func junitOf(c Cell) junitCase {
	test := junitCase{Class: c.Backend + "." + c.Check, Name: c.Check + ": " + c.Subject}
	sides := "declared: " + c.Declared + "\nobserved: " + c.Observed
	switch c.Result {
	case Fail, UnexpectedPass:
		test.Failure = &junitMessage{Message: c.Reason, Type: string(c.Result), Text: sides}
	case Skipped:
		test.Skipped = &junitMessage{Message: c.Reason}
	case ExpectedFailure:
		test.Skipped = &junitMessage{Message: string(c.Result) + ": " + c.Reason, Text: sides}
	case Undeclared:
		test.Out = string(c.Result) + ": " + c.Reason + "\n" + sides
	case Pass:
	}
	return test
}
