package store_test

import (
	"encoding/binary"
	"hash/crc32"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/storetest"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
)

type checkpoint = logpb.Checkpoint

// sealed appends the checksum that a row of the file ends in, as docs/store.md says it is made.
func sealed(key, value []byte) []byte {
	sum := crc32.Checksum(append(append([]byte(nil), key...), value...), crc32.MakeTable(crc32.Castagnoli))
	return binary.BigEndian.AppendUint32(append([]byte(nil), value...), sum)
}

// putCheckpoint changes the meta row and seals it again.
func putCheckpoint(tx *bbolt.Tx, change func(*checkpoint)) error {
	bucket, key := tx.Bucket([]byte("meta")), []byte("checkpoint")
	value := bucket.Get(key)
	p := &checkpoint{}
	if err := proto.Unmarshal(value[:len(value)-4], p); err != nil {
		return err
	}
	change(p)
	value, err := proto.Marshal(p)
	if err != nil {
		return err
	}
	return bucket.Put(key, sealed(key, value))
}

// foldable is the delta after the sample: many new words, so that writing it reads the tree.
func foldable(t storetest.Fataler) fold.Entry {
	t.Helper()
	s := storetest.Spec(t, storetest.Corrected, 100000, 100000)
	b := model.NewBuilder(s)
	var f model.Features
	f.Numbers, f.Categories = make([]model.Number, 4), make([]model.Category, 2)
	r := newRand(15)
	for range 500 {
		f.Bag.Add([]byte(randomWord(r.IntN)))
	}
	b.Observe("ham", 1, &f)
	return fold.Entry{Delta: &fold.Delta{Ranges: []fold.Range{{Source: storetest.Training, Start: 200, End: 201}},
		Counting: s.Counting(),
		Counts:   b.Delta()}}
}
