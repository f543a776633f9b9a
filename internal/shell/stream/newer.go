package stream

import (
	"context"
	"errors"
	"io"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/apiversions"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// newerLimit bounds the response to a request in such a version, in bytes.
const newerLimit = 1 << 20

// newer is a request or a response in a version that kafka-go does not have.
type newer struct {
	key      int16
	response kmsg.Response
}

// ApiKey implements protocol.Message.
func (n newer) ApiKey() protocol.ApiKey { return protocol.ApiKey(n.key) }

// newest returns the newest version of a request that a broker has.
func (c *Client) newest(ctx context.Context, to route, key int16) (int16, error) {
	response, err := c.ask(ctx, &roundTrip{request: &apiversions.Request{}, route: to}, 0)
	if err != nil {
		return -1, err
	}
	versions := response.(*apiversions.Response)
	if err := brokerError(versions.ErrorCode, ""); err != nil {
		return -1, err
	}
	for _, v := range versions.ApiKeys {
		if v.ApiKey == key {
			return v.MaxVersion, nil
		}
	}
	return -1, nil
}

// askNewer sends a request in the version that it states, which the broker must have (see newest).
func (c *Client) askNewer(ctx context.Context, to route, request kmsg.Request) (kmsg.Response, error) {
	read := func(r io.Reader, _ int16, id int32) (protocol.Message, error) {
		response := request.ResponseKind()
		response.SetVersion(request.GetVersion())
		err := readNewer(r, id, response)
		return newer{request.Key(), response}, err
	}
	response, err := c.ask(ctx,
		&roundTrip{request: newer{key: request.Key()}, route: to, write: c.writeNewer(request), read: read}, 0)
	if err != nil {
		return nil, err
	}
	return response.(newer).response, nil
}

// writeNewer returns a function that writes a request with an id, in the version that the request
// states.
func (c *Client) writeNewer(request kmsg.Request) func(w io.Writer, id int32) error {
	return func(w io.Writer, id int32) error {
		format := kmsg.NewRequestFormatter(kmsg.FormatterClientID(c.config.ClientID))
		_, err := w.Write(format.AppendRequest(nil, request, id))
		return err
	}
}

// readNewer reads one response from the wire. The broker is trusted here: kmsg spins for seconds on
// a damaged count of tagged fields, which it does not compare with the bytes that are left.
func readNewer(r io.Reader, id int32, response kmsg.Response) error {
	body, err := readBody(r, id, newerLimit, admitted)
	if err != nil {
		return err
	}
	if response.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return errors.New("the broker's answer begins with fields that are not known")
		}
		body = body[1:] // no tagged fields of the header
	}
	return response.ReadFrom(body)
}
