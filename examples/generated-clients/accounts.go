// Uses a client that oapi-codegen generated, and prints what the service answered.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"accounts/latchkey"
)

const address = "go@example.com"
const secret = "pässwörd of go"

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	application, key, _ := strings.Cut(os.Getenv("LATCHKEY_KEY"), ":")
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(application, key)
		return nil
	}
	withPassword := func(_ context.Context, request *http.Request) error {
		request.Header.Set("password*", "UTF-8''"+strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"))
		return nil
	}
	client := must(latchkey.NewClientWithResponses(os.Getenv("LATCHKEY_URL"), latchkey.WithRequestEditorFn(authenticate)))
	printed := map[string]any{}

	visits := int64(3)
	created := must(client.CreateUserWithResponse(ctx, latchkey.NewUser{
		Email:    latchkey.Email{Address: address},
		Password: secret,
		Visits:   &visits,
		AdditionalProperties: map[string]any{
			"plan": "trial", "rating": 4.5, "tags": []any{"early", 7}, "settings": map[string]any{"theme": "dark"},
		},
	}))
	printed["created"] = created.JSON201.AdditionalProperties

	read := must(client.GetUserWithResponse(ctx, &latchkey.GetUserParams{Email: address}, withPassword))
	printed["read"] = read.JSON200.AdditionalProperties

	check := latchkey.PasswordCheck{Password: secret}
	check.Email.Address = address
	printed["checked"] = must(client.CheckPasswordWithResponse(ctx, &latchkey.CheckPasswordParams{}, check)).StatusCode()
	person := "192.0.2.1"
	guess := &latchkey.GetUserParams{Email: address, Password: "wrong", XClientAddress: &person}
	wrong := must(client.GetUserWithResponse(ctx, guess)).ApplicationproblemJSON401
	printed["wrong"] = fmt.Sprint(wrong.Status, " ", wrong.Code)

	properties := map[string]any{}
	for name, value := range read.JSON200.AdditionalProperties {
		if name != "visits" {
			properties[name] = value
		}
	}
	properties["plan"] = "pro"
	visits = 4
	update := latchkey.UserUpdate{Email: latchkey.Email{Address: address}, Visits: &visits, AdditionalProperties: properties}
	updated := must(client.UpdateUserWithResponse(ctx, &latchkey.UpdateUserParams{}, update, withPassword))
	printed["updated"] = updated.JSON200.AdditionalProperties

	patch := latchkey.UserPatch{AdditionalProperties: map[string]any{"plan": "free"}}
	patched := must(client.PatchUserWithResponse(ctx, &latchkey.PatchUserParams{Email: address}, patch, withPassword))
	printed["patched"] = patched.JSON200.AdditionalProperties
	forgotten := &latchkey.RequestRecoveryParams{Email: address}
	printed["recovery"] = must(client.RequestRecoveryWithResponse(ctx, forgotten)).StatusCode()

	sent := must(client.SendVerificationWithResponse(ctx, &latchkey.SendVerificationParams{Email: address}, withPassword))
	link := &latchkey.ConfirmVerificationParams{Email: address, Token: *sent.JSON200.Email.VerificationToken}
	printed["verified"] = must(client.ConfirmVerificationWithResponse(ctx, link)).JSON200.Email.Verified

	deleted := must(client.DeleteUserWithResponse(ctx, &latchkey.DeleteUserParams{Email: address}, withPassword))
	printed["deleted"] = deleted.JSON200.Email.Address
	printed["hasTimes"] = deleted.JSON200.CreationTime > 1_700_000_000_000
	absent := must(client.GetUserWithResponse(ctx, &latchkey.GetUserParams{Email: address}, withPassword))
	printed["afterwards"] = absent.StatusCode()
	fmt.Println(string(must(json.Marshal(printed))))
}
