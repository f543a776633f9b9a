package main

import (
	"context"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// decisionBytes returns the mean length of the decisions on the documents of a topic. The copy loop
// to compare with writes values of this length.
func (b *bench) decisionBytes(ctx context.Context, topic string, n int) (int, error) {
	labels, r, err := b.startClassify(ctx, topic, wire.EmitEvent, exactlyOnce)
	if err != nil {
		return 0, err
	}
	if err := r.wait(ctx, n); err != nil {
		return 0, err
	}
	got, err := b.client.Fetch(ctx, stream.FetchRequest{Topic: labels, Committed: true})
	if err != nil || len(got.Records) == 0 {
		return 0, err
	}
	size := 0
	for i := range got.Records {
		size += len(got.Records[i].Value)
	}
	return size / len(got.Records), nil
}
