package proc

import "os"

func openTerminal(*WindowSize) (ours, childs *os.File, err error) { return nil, nil, ErrNoPTY }
