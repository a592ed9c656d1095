#!/bin/sh
# A knowledge base from its making to its end, by the service contract. Needs curl 7.82 and jq:
#
#     RAG_URL=http://127.0.0.1:8765 RAG_TOKEN=… sh service.sh tender.pdf "When is the bid due?"
#
# Every failure has the same shape, with a code that programs can rely on: {"error": {"code", "message", "request_id", "details"}}.
set -eu

# --fail-with-body: a failure ends the script, and its JSON is shown. --retry: 503 is tried again after Retry-After.
call() {
    curl --silent --show-error --fail-with-body --retry 5 --noproxy '*' --header "Authorization: Bearer $RAG_TOKEN" "$@"
}

# The resource at $1, once its status is completed or failed.
until_done() {
    while found=$(call "$RAG_URL$1"); do
        case $(echo "$found" | jq --raw-output .status) in
        completed | failed) break ;;
        esac
        sleep 0.2
    done
    echo "$found"
}

kb=$(call "$RAG_URL/knowledge_bases" --json "$(jq --null-input --arg name "Customer of $(date +%s%N)" '{$name}')" | jq --raw-output .id)
doc=$(call "$RAG_URL/knowledge_bases/$kb/documents" --form "file=@$1" | jq --raw-output .document_id)
until_done "/documents/$doc" | jq --raw-output '"\(.filename): \(.chunk_count) chunks"'
asked=$(jq --null-input --arg query "$2" --arg kb "$kb" '{$query, knowledge_base_id: $kb, top_k: 3}')
call "$RAG_URL/search" --json "$asked" |
    jq --raw-output '.[] | "\(.score * 100 | round / 100)  \(.filename)#\(.chunk_index)  \(.chunk_text | gsub("\\s+"; " ") | .[:100])"'
call --request DELETE "$RAG_URL/documents/$doc"
task=$(call --request DELETE "$RAG_URL/knowledge_bases/$kb" | jq --raw-output .cleanup_task_id)
until_done "/cleanup_tasks/$task" | jq --raw-output '"clean-up \(.status), \(.progress.processed) documents"'
