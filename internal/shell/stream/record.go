package stream

import "bayestream/internal/shell/record"

// Record is one Kafka record, read or to be written.
type Record = record.Record

// Header is one header of a record.
type Header = record.Header
