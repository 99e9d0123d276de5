// Uses a client of the administration that oapi-codegen generated, and prints what the service answered.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"accounts/latchkey"
)

const address = "administered@example.com"

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	application, key, _ := strings.Cut(os.Getenv("LATCHKEY_ADMIN_KEY"), ":")
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(application, key)
		return nil
	}
	server := os.Getenv("LATCHKEY_ADMIN_URL")
	client := must(latchkey.NewClientWithResponses(server, latchkey.WithRequestEditorFn(authenticate)))
	printed := map[string]any{}

	part := "administered@"
	page := must(client.ListUsersWithResponse(ctx, &latchkey.ListUsersParams{AddressContains: &part}))
	listed := []string{}
	for _, user := range page.JSON200.Users {
		listed = append(listed, user.Email.Address)
	}
	printed["listed"] = listed

	read := must(client.InspectUserWithResponse(ctx, address)).JSON200
	printed["read"] = read.Email.Address
	printed["plan"] = read.AdditionalProperties["plan"]

	disablement := latchkey.Disablement{Reason: "a test"}
	disabled := must(client.DisableUserWithResponse(ctx, address, &latchkey.DisableUserParams{}, disablement))
	printed["disabled"] = disabled.JSON200.Email.DisabledReason
	enabled := must(client.EnableUserWithResponse(ctx, address, &latchkey.EnableUserParams{}))
	printed["enabled"] = enabled.JSON200.Email.DisabledTime == nil
	password := latchkey.NewPassword{Password: "pässwörd"}
	set := must(client.SetPasswordWithResponse(ctx, address, &latchkey.SetPasswordParams{}, password))
	printed["set"] = set.StatusCode()

	former := `"former"`
	conditional := &latchkey.EnableUserParams{IfMatch: &former}
	stale := must(client.EnableUserWithResponse(ctx, address, conditional)).ApplicationproblemJSON412
	printed["stale"] = fmt.Sprint(stale.Status, " ", stale.Code)
	absent := must(client.InspectUserWithResponse(ctx, "nobody@example.com")).ApplicationproblemJSON404
	printed["absent"] = fmt.Sprint(absent.Status, " ", absent.Code)
	fmt.Println(string(must(json.Marshal(printed))))
}
