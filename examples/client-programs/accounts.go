// accounts.go: go run accounts.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

type object map[string]any

// Longer than the operation timeout of the service, so that the service answers first.
var client = &http.Client{Timeout: 35 * time.Second}

// call returns the JSON of the response, and ends the program if the response has another status than expected.
func call(method, path string, expected int, body object, password string) object {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			log.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, os.Getenv("LATCHKEY_URL")+path, content)
	if err != nil {
		log.Fatal(err)
	}
	request.SetBasicAuth("shop", os.Getenv("SHOP_SECRET"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if password != "" {
		request.Header.Set("password*", "UTF-8''"+strings.ReplaceAll(url.QueryEscape(password), "+", "%20"))
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	answer := object{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &answer); err != nil {
			log.Fatal(err)
		}
	}
	if response.StatusCode != expected {
		log.Fatalf("status %d, code %v", response.StatusCode, answer["code"])
	}
	return answer
}

func main() {
	address := "jane+go@example.com"
	user := "/users?email=" + url.QueryEscape(address)

	call("POST", "/users", 201, object{"email": object{"address": address}, "password": "grüne Birne 7", "plan": "free"}, "")
	fmt.Println("signed up")

	fmt.Println("wrong password refused:", call("GET", user, 401, nil, "rote Birne 7")["code"])
	fmt.Println("signed in:", call("GET", user, 200, nil, "grüne Birne 7")["plan"])
	fmt.Println("changed:", call("PATCH", user, 200, object{"plan": "pro"}, "grüne Birne 7")["plan"])

	// The application mails the token to the user, who sends it back with a new password.
	token := call("POST", "/recovery?email="+url.QueryEscape(address), 200, nil, "")["token"]
	call("POST", "/recovery/confirm", 204,
		object{"email": object{"address": address}, "token": token, "password": "blaue Birne 8"}, "")
	fmt.Println("recovered")

	fmt.Println("signed in:", call("GET", user, 200, nil, "blaue Birne 8")["plan"])
}
