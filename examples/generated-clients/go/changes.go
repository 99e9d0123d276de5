// Changes an address, and uses a property that the configuration declares, through the generated client.
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

const secret = "another pässwörd of go"

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// tokenOf asks for a token: somebody has to look into the mailbox.
func tokenOf(path, address string) (token string) {
	fmt.Fprintf(os.Stderr, "Token of the link %s in the mail to %s: ", path, address)
	must(fmt.Scanln(&token))
	return token
}

func main() {
	ctx := context.Background()
	application, key, _ := strings.Cut(os.Getenv("LATCHKEY_KEY"), ":")
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(application, key)
		request.Header.Set("password*", "UTF-8''"+strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"))
		return nil
	}
	client := must(latchkey.NewClientWithResponses(os.Getenv("LATCHKEY_URL"), latchkey.WithRequestEditorFn(authenticate)))
	former, address, other := "former.go@example.com", "new.go@example.com", "other.go@example.com"
	printed := map[string]any{}

	visits := int64(3)
	user := latchkey.NewUser{Email: latchkey.Email{Address: former}, Password: secret, Visits: &visits}
	printed["visits"] = must(client.CreateUserWithResponse(ctx, user)).JSON201.AdditionalProperties["visits"]

	german := "de"
	patch := latchkey.UserPatch{Email: &latchkey.EmailPatch{Address: &address}}
	inGerman := &latchkey.PatchUserParams{Email: &former, AcceptLanguage: &german}
	printed["pending"] = must(client.PatchUserWithResponse(ctx, inGerman, patch)).JSON200.Email.Pending
	token := tokenOf("/change", address)
	show := &latchkey.ShowChangeParams{Email: &former, Token: token}
	pages := string(must(client.ShowChangeWithResponse(ctx, show)).Body)
	confirm := &latchkey.ConfirmChangeParams{Email: &former, Token: token}
	printed["confirmed"] = must(client.ConfirmChangeWithResponse(ctx, confirm)).StatusCode()
	pages += string(must(client.ShowChangedWithResponse(ctx)).Body)

	patch = latchkey.UserPatch{Email: &latchkey.EmailPatch{Address: &other}}
	must(client.PatchUserWithResponse(ctx, &latchkey.PatchUserParams{Email: &address}, patch))
	token = tokenOf("/change/cancel", address)
	ask := &latchkey.ShowCancellationParams{Email: &address, Token: token}
	pages += string(must(client.ShowCancellationWithResponse(ctx, ask)).Body)
	cancel := &latchkey.CancelChangeParams{Email: &address, Token: token}
	printed["cancelled"] = must(client.CancelChangeWithResponse(ctx, cancel)).StatusCode()
	pages += string(must(client.ShowCancelledWithResponse(ctx)).Body)
	printed["pages"] = strings.Count(pages, "<html")

	read := must(client.GetUserWithResponse(ctx, &latchkey.GetUserParams{Email: &address}))
	printed["address"] = read.JSON200.Email.Address
	deleted := must(client.DeleteUserWithResponse(ctx, &latchkey.DeleteUserParams{Email: &address}))
	printed["deleted"] = deleted.StatusCode()
	fmt.Println(string(must(json.Marshal(printed))))
}
