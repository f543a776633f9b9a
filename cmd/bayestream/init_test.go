package main

import (
	"reflect"
	"strconv"
	"testing"
)

// The number of records in the tag of the flag, which can be no constant, is that of the constant.
func TestRecordsOfInit(t *testing.T) {
	f, _ := reflect.TypeFor[initFlags]().FieldByName("Records")
	if got := f.Tag.Get("default"); got != strconv.Itoa(defaultRecords) {
		t.Errorf("the default of --records is %s, and patterns look at %d", got, defaultRecords)
	}
}
