package prequential

import "errors"

// ErrNoModel says that a model log holds no spec: no ingest has written to it yet.
var ErrNoModel = errors.New("it holds no spec yet")
