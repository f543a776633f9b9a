package follow_test

import (
	"context"
	"fmt"
	"time"

	"bayestream"
	"bayestream/follow"
)

// The model that ingest learns at this moment, in one's own service.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	f, err := follow.Open(ctx, follow.Config{Brokers: []string{"127.0.0.1:9092"}}, bayestream.WithEvidence(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }()
	d, err := f.Classify(bayestream.Document{Text: "you won a prize"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Label, d.Posterior(d.Label))
}
