package latchkey

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"google.golang.org/protobuf/proto"
	latchkeyv1 "latchkey.example/latchkey/gen/latchkey/v1"
	"latchkey.example/latchkey/gen/latchkey/v1/latchkeyv1connect"
)

// gateway gives each message an id of its own, so that a retry is the same message.
type gateway struct {
	latchkeyv1connect.GatewayServiceClient
}

// SendMessage works on a copy: an id left in the caller's message would make the same text, sent again on purpose, a
// repetition.
func (g gateway) SendMessage(ctx context.Context, req *latchkeyv1.SendMessageRequest) (*latchkeyv1.SendMessageResponse, error) {
	if req.GetClientMessageId() == "" {
		req = proto.CloneOf(req)
		req.ClientMessageId = newID()
	}
	return g.GatewayServiceClient.SendMessage(ctx, req)
}

func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id)
}
