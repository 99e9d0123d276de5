// Uses a client that oapi-codegen generated, and prints what the service answered.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"

	"accounts/latchkey"
)

var address = "go@example.com"

const secret = "pässwörd of go"

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// withPassword adds the header that carries every password.
func withPassword(password string) latchkey.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("password*", "UTF-8''"+strings.ReplaceAll(url.QueryEscape(password), "+", "%20"))
		return nil
	}
}

// tokenOf asks for a token: somebody has to look into the mailbox.
func tokenOf(path string) (token string) {
	fmt.Fprintf(os.Stderr, "Token of the link %s in the mail to %s: ", path, address)
	must(fmt.Scanln(&token))
	return token
}

func main() {
	ctx := context.Background()
	application, key, _ := strings.Cut(os.Getenv("LATCHKEY_KEY"), ":")
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(application, key)
		return nil
	}
	client := must(latchkey.NewClientWithResponses(os.Getenv("LATCHKEY_URL"), latchkey.WithRequestEditorFn(authenticate)))
	jane := withPassword(secret)
	printed := map[string]any{}

	created := must(client.CreateUserWithResponse(ctx, latchkey.NewUser{
		Email:    latchkey.Email{Address: address},
		Password: secret,
		AdditionalProperties: map[string]any{
			"visits": 3, "plan": "trial", "rating": 4.5, "tags": []any{"early", 7}, "settings": map[string]any{"theme": "dark"},
		},
	}))
	printed["created"] = created.JSON201.AdditionalProperties

	read := must(client.GetUserWithResponse(ctx, &latchkey.GetUserParams{Email: &address}, jane))
	printed["read"] = read.JSON200.AdditionalProperties

	check := latchkey.PasswordCheck{Email: &latchkey.EmailReference{Address: address}, Password: secret}
	printed["checked"] = must(client.CheckPasswordWithResponse(ctx, &latchkey.CheckPasswordParams{}, check)).StatusCode()
	guessed, person := "wrong", "192.0.2.1"
	guess := &latchkey.GetUserParams{Email: &address, Password: &guessed, XClientAddress: &person}
	wrong := must(client.GetUserWithResponse(ctx, guess)).ApplicationproblemJSON401
	printed["wrong"] = fmt.Sprint(wrong.Status, " ", wrong.Code)

	properties := maps.Clone(read.JSON200.AdditionalProperties)
	properties["visits"], properties["plan"] = 4, "pro"
	update := latchkey.UserUpdate{Email: latchkey.Email{Address: address}, AdditionalProperties: properties}
	updated := must(client.UpdateUserWithResponse(ctx, &latchkey.UpdateUserParams{}, update, jane))
	printed["updated"] = updated.JSON200.AdditionalProperties

	patch := latchkey.UserPatch{AdditionalProperties: map[string]any{"plan": "free"}}
	patched := must(client.PatchUserWithResponse(ctx, &latchkey.PatchUserParams{Email: &address}, patch, jane))
	printed["patched"] = patched.JSON200.AdditionalProperties
	former := `"former"`
	conditional := &latchkey.PatchUserParams{Email: &address, IfMatch: &former}
	stale := must(client.PatchUserWithResponse(ctx, conditional, patch, jane)).ApplicationproblemJSON412
	printed["stale"] = fmt.Sprint(stale.Status, " ", stale.Code)

	sent := must(client.SendVerificationWithResponse(ctx, &latchkey.SendVerificationParams{Email: &address}, jane))
	link := &latchkey.ConfirmVerificationParams{Email: &address, Token: *sent.JSON200.Email.VerificationToken}
	printed["verified"] = must(client.ConfirmVerificationWithResponse(ctx, link)).JSON200.Email.Verified
	reset := must(client.ResetVerificationWithResponse(ctx, &latchkey.ResetVerificationParams{Email: &address}, jane))
	printed["reset"] = reset.JSON200.Email.Verified

	forgotten := &latchkey.RequestRecoveryParams{Email: &address}
	printed["recovery"] = must(client.RequestRecoveryWithResponse(ctx, forgotten)).StatusCode()
	token := tokenOf("/recovery")
	show := &latchkey.ShowRecoveryParams{Email: &address, Token: token}
	pages := string(must(client.ShowSuccessWithResponse(ctx)).Body) +
		string(must(client.ShowRecoveryWithResponse(ctx, show)).Body)
	replacement := latchkey.NewPassword{
		Email: &latchkey.EmailReference{Address: address}, Token: token, Password: secret + "!",
	}
	printed["recovered"] = must(client.ConfirmRecoveryWithResponse(ctx, replacement)).StatusCode()
	pages += string(must(client.ShowRecoveredWithResponse(ctx)).Body)
	printed["pages"] = strings.Count(pages, "<html")

	jane = withPassword(secret + "!")
	deleted := must(client.DeleteUserWithResponse(ctx, &latchkey.DeleteUserParams{Email: &address}, jane))
	printed["deleted"] = deleted.JSON200.Email.Address
	printed["hasTimes"] = deleted.JSON200.CreationTime > 1_700_000_000_000
	absent := must(client.GetUserWithResponse(ctx, &latchkey.GetUserParams{Email: &address}, jane))
	printed["afterwards"] = absent.StatusCode()
	fmt.Println(string(must(json.Marshal(printed))))
}
