package parity_test

import (
	"context"
	"fmt"

	"github.com/acpharness/acpharness/parity"
)

func ExampleMatrix() {
	report, err := parity.Matrix(context.Background(), &parity.MatrixOptions{Backends: []string{"kiro"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Results {
		if c.Check == "P8" && c.Subject == "floor" {
			fmt.Println(c.Backend, c.Subject, c.Observed, c.Result)
		}
	}
	fmt.Println(report.Failed, "failed")
	// Output:
	// kiro floor 2.21.0 pass
	// 0 failed
}
