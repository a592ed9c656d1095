/**
 * The daemon's REST interface, written by `npm run api` from the description that the daemon's code prints.
 * Change the daemon's schemas and run it again; do not change this file.
 */

export interface paths {
    "/api/answers/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify Answer
         * @description Check an answer as `/api/chat` checks its own: references to what was not given are taken out, each sentence is judged.
         *
         *     `citations` are all that the model was given, with the `chunk_ids` of each (or its one `chunk_id`).
         */
        post: operations["verify_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Assets
         * @description Pictures of the documents that you may see, with what is said of each.
         */
        get: operations["list_assets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/caption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Caption Assets
         * @description Have pictures described, in the background: those without a description, and those that failed; or others as well.
         */
        post: operations["caption_assets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{asset_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Asset
         * @description A picture that a live document shows which the caller may see; `thumb` is a WebP of at most 320 pixels.
         */
        get: operations["get_asset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{asset_id}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Asset Details
         * @description What was read in a picture, what is said of it and by whom, where it is shown, and what its descriptions cost.
         */
        get: operations["get_asset_details"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{asset_id}/table": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Asset Table
         * @description The table that was read in a picture, or the values of its chart, as CSV; nothing where there is neither.
         */
        get: operations["get_asset_table"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Backup
         * @description All content as of one moment, for `rag restore`. `X-Unpacked-Size`: its bytes before compression.
         */
        get: operations["get_backup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/browser-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Browser Link
         * @description A link by which a browser gets to `/docs` without the token.
         */
        post: operations["browser_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/captions/lenders/{lender}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop Lending
         * @description Lend no more. What you have is given to the next lender, and has cost nothing.
         */
        delete: operations["stop_lending"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/captions/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take Lent Request
         * @description Lend a model: take what is to be asked of it, if anything is. Pictures that you may not see are not handed over.
         */
        post: operations["take_lent_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/captions/requests/{lease_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Renew Lent Request
         * @description Say that the model is still being asked.
         */
        patch: operations["renew_lent_request"];
        trace?: never;
    };
    "/api/captions/requests/{lease_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer Lent Request
         * @description Bring what the model said. It is checked as the answers of services are; where it is no use, a further request says why.
         */
        post: operations["answer_lent_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/captions/requests/{lease_id}/failure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fail Lent Request
         * @description Say that the model failed or refused. A quota that is used up is no failure: stop lending then.
         */
        post: operations["fail_lent_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chat
         * @description The event `retrieval` is the answer of `/api/query`; then `delta` with `text`, piece by piece, and `done` with all of it.
         *
         *     A failure midway is the event `error`, in the shape of every error.
         */
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks
         * @description Whether the database is sound, the model runs, and both indexes hold what the database says. Nothing is mended.
         */
        get: operations["checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Collections
         * @description Collections by name, with their counts.
         */
        get: operations["list_collections"];
        put?: never;
        /**
         * Create Collection
         * @description Make a collection.
         */
        post: operations["create_collection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/collections/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Collection
         * @description Delete a collection with everything in it.
         */
        delete: operations["delete_collection"];
        options?: never;
        head?: never;
        /**
         * Change Collection
         * @description Rename, describe, enable or disable a collection.
         */
        patch: operations["change_collection"];
        trace?: never;
    };
    "/api/collections/{name}/guide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Collection Guide
         * @description What a collection is about: topics, documents, and questions that they answer.
         */
        get: operations["get_collection_guide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dashboard Link
         * @description A link by which a browser gets to the dashboard, which then asks with the rights of whoever asked for the link.
         */
        post: operations["dashboard_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Datasets
         * @description The newest version of each, by name.
         */
        get: operations["list_datasets"];
        put?: never;
        /**
         * Add Dataset
         * @description Keep a dataset under a name that is free.
         */
        post: operations["add_dataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/datasets/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sample Questions
         * @description Make a dataset of questions that people asked, for somebody to label: a sample of what the traces keep.
         */
        post: operations["sample_questions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/datasets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Dataset
         * @description A version, with a page of its questions in the order of the file.
         */
        get: operations["get_dataset"];
        put?: never;
        post?: never;
        /**
         * Delete Dataset
         * @description Delete a dataset with all its versions. Runs that were measured with it stay.
         */
        delete: operations["delete_dataset"];
        options?: never;
        head?: never;
        /**
         * Change Dataset
         * @description Add, set or remove one question, take labels over, or let an older version count again; another version is made of it.
         */
        patch: operations["change_dataset"];
        trace?: never;
    };
    "/api/datasets/{name}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dataset Text
         * @description A version as the file that `rag eval run --dataset` reads.
         */
        get: operations["dataset_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Documents
         * @description Documents by source; deleted ones only when asked for by their status.
         *
         *     Those of cloud sources that are not public come last, and are named only to a token that may read them. With `text` and with
         *     `has_unprocessed_images` they are left out: that one is found would disclose what it says.
         */
        get: operations["list_documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Folders
         * @description Folders of documents by name, with how many lie in each and below. Those of private cloud sources are in none.
         */
        get: operations["list_folders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify Documents
         * @description Compare the stored content with the indexes, the vectors and the files. Changes nothing.
         */
        post: operations["verify_documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Document
         * @description One document with its versions.
         */
        get: operations["get_document"];
        put?: never;
        post?: never;
        /**
         * Delete Document
         * @description Delete a document; it is gone from every answer when this returns.
         */
        delete: operations["delete_document"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Chunks
         * @description The passages in order, with their places.
         */
        get: operations["list_chunks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Content
         * @description What was read, as Markdown.
         */
        get: operations["get_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/guide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Guide
         * @description What the document is about: summary, outline, topics, and questions that it answers.
         */
        get: operations["get_guide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/merged-cells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Merged Cells
         * @description Which cells of tables the source shows as one, in the rows that begin between two characters of the content; at most
         *     300,000 lie between them. A row says so again of a cell that began above it.
         */
        get: operations["list_merged_cells"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/outline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Outline
         * @description The headings (of a PDF: its bookmarks, where it has them) in order, with their places.
         */
        get: operations["get_outline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Pages
         * @description The text that was read on each page, scanned ones too; none for a document without pages.
         */
        get: operations["list_pages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Page
         * @description A page of a PDF as a picture, with passages marked.
         */
        get: operations["get_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/pages/{page}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Page Text
         * @description The words of a PDF's page with their places on it.
         */
        get: operations["get_page_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reread Document
         * @description Read the document again: its file, changed or not, or its item of a cloud source.
         */
        post: operations["reread_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Rows
         * @description Which rows of a workbook's sheets the content has between two characters; at most 300,000 lie between them.
         */
        get: operations["list_rows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sections
         * @description The section tree in order; `start` and `end` are characters of the content.
         */
        get: operations["list_sections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{doc_id}/slides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slides
         * @description Where the texts, tables and pictures of a presentation stand on its slides, as far as it is known.
         */
        get: operations["list_slides"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Evaluations
         * @description Runs, newest first, without their questions.
         */
        get: operations["list_evaluations"];
        put?: never;
        /**
         * Add Evaluation
         * @description Keep a finished run.
         */
        post: operations["add_evaluation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer Given
         * @description Answer a question from passages that come with it, by the prompt, the model and the checks of `/api/chat`.
         *
         *     Nothing is searched and nothing is kept but the trace: it measures the model without retrieval.
         */
        post: operations["answer_given"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Evaluation Choices
         * @description Datasets, strategies and settings that an evaluation can be asked for.
         */
        get: operations["evaluation_choices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluation Cost
         * @description About how often the judging model would be asked for a run. Nothing is begun.
         */
        post: operations["evaluation_cost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Evaluation Jobs
         * @description Those that wait, run or have ended, newest first.
         */
        get: operations["list_evaluation_jobs"];
        put?: never;
        /**
         * Start Evaluation
         * @description Ask the questions of a dataset and measure the answers, as `rag eval run` does, in the background.
         */
        post: operations["start_evaluation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Evaluation Job
         * @description One of them. `GET /api/jobs/{job_id}/events` tells how it goes on, `DELETE /api/jobs/{job_id}` cancels it.
         */
        get: operations["get_evaluation_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/jobs/{job_id}/strategy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save Strategy
         * @description Write what a search recommends as a strategy's file. It counts only where it is named.
         */
        post: operations["save_strategy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try Settings
         * @description Find the passages that answer a question under other settings, as `rag eval tune` does. Nothing is changed by it.
         */
        post: operations["try_settings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/tuning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start Tuning
         * @description Search for settings that rank better, as `rag eval tune` does, in the background. Nothing is changed by it.
         */
        post: operations["start_tuning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Evaluation
         * @description One whole run.
         */
        get: operations["get_evaluation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/{run_id}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare Evaluations
         * @description How a second run differs from this one: by each metric, with the chance of such a difference, and question by question.
         */
        get: operations["compare_evaluations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/{run_id}/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Evaluation Figures
         * @description A run without its questions, its metrics with 95 % intervals, and the main one by group.
         */
        get: operations["evaluation_figures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evaluations/{run_id}/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Evaluation Questions
         * @description The questions of a run, page by page, without their artifacts.
         */
        get: operations["evaluation_questions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Daemon Events
         * @description The event `state`, at once and whenever it has changed, until the client goes or the daemon stops: then `stopping`.
         *
         *     With `rag serve --stop-when-unused` the daemon lives as long as one of these streams is open.
         */
        get: operations["daemon_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Feedback
         * @description What people said of answers, newest first.
         */
        get: operations["list_feedback"];
        put?: never;
        /**
         * Add Feedback
         * @description Keep what somebody says of an answer, with the places of its passages: ids of passages change with their documents.
         *
         *     Everybody may read feedback, so of what not everybody may see nothing is kept but what `question` and `answer` say.
         */
        post: operations["add_feedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/feedback/{feedback_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Feedback
         * @description Delete what somebody said.
         */
        delete: operations["delete_feedback"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description Answers as soon as the process does; `/health` without a token.
         */
        get: operations["api_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ingest
         * @description Ingest files and folders by their paths (JSON), or the files in the request itself (multipart).
         */
        post: operations["ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Jobs
         * @description Jobs, newest first.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Job
         * @description One job as it stands.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Cancel Job
         * @description Ask a job to stop. A queued one ends at once, a running one at its next safe point, a finished one stays as it is.
         */
        delete: operations["cancel_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{job_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Job Events
         * @description Server-sent events with the job as data: `progress` whenever it has moved, one `end` when it is finished.
         *
         *     When the daemon stops, `stopping` is the last event, without `end`; the job goes on at the next start.
         */
        get: operations["job_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Labels
         * @description Labels that count: of each author, question and passage the newest mark, by question and document.
         */
        get: operations["list_labels"];
        put?: never;
        /**
         * Add Label
         * @description Keep what somebody says of a passage. What they said of it before counts no more, and again once this is taken back.
         */
        post: operations["add_label"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/labels/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Label Agreement
         * @description How far each two authors agree on the passages that both have judged (Cohen's kappa).
         */
        get: operations["label_agreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/labels/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Labelled Questions
         * @description Questions that have labels, the one that was labelled last first.
         */
        get: operations["list_labelled_questions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/labels/{label_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Label
         * @description Take a mark back. Its author may, and an administrator of the collection.
         */
        delete: operations["delete_label"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Overview
         * @description What the daemon holds, how it grew, and how questions and ingestions went within a day and thirty days.
         */
        get: operations["overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prompt
         * @description Find the passages that answer a question, and build the messages that a model of the client should get.
         *
         *     Send the model's answer to `/api/answers/verify` with the citations that are `given`. Where the model counts more tokens than
         *     it takes, ask again with a smaller `max_tokens`.
         */
        post: operations["prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query
         * @description Find the passages that answer a question, with citations and a context for a model; or those that a picture is about.
         */
        post: operations["query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reindex
         * @description Make both indexes anew from the stored content, of one collection or of all.
         */
        post: operations["reindex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Settings
         * @description The settings that one question may change: of a replay, or of a query.
         */
        get: operations["settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sources
         * @description Sources by name, as they stand.
         */
        get: operations["list_sources"];
        put?: never;
        /**
         * Add Source
         * @description Add a source, which is read at once (`job_id`) and followed, or read by its schedule, from then on.
         *
         *     With `dry_run` a folder is looked at, or a cloud source's connection is tested, and nothing is stored. A token that comes with
         *     the request stands under the id `new`.
         */
        post: operations["add_source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Source
         * @description One source as it stands.
         */
        get: operations["get_source"];
        put?: never;
        post?: never;
        /**
         * Remove Source
         * @description Remove a source, with its documents or without them. What it was read from stays as it is.
         */
        delete: operations["remove_source"];
        options?: never;
        head?: never;
        /**
         * Change Source
         * @description Rename a source, change its configuration, switch it on or off. What is read in another way is read again at once.
         */
        patch: operations["change_source"];
        trace?: never;
    };
    "/api/sources/{source_id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Source Ledger
         * @description The last cycles of a cloud source, each item accounted for. A title needs a token that may read its item.
         */
        get: operations["source_ledger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}/ledger/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ledger Items
         * @description The items of a cloud source that are in one state, by id. A title needs a token that may read its item.
         */
        get: operations["ledger_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry Items
         * @description Fetch items once more that were left out; what a rule of the source leaves out stays out.
         */
        post: operations["retry_items"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source_id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync Source
         * @description Look at everything that the source has.
         */
        post: operations["sync_source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description What is loaded, where it is, and how much it holds.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description End the daemon, as SIGTERM does, once this is answered. Jobs are kept and go on at the next start.
         *
         *     503 where the one who answers is no daemon, but a command that works without one and lets others ask meanwhile.
         */
        post: operations["stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest
         * @description Titles, headings and identifiers that complete what is typed, of documents that everybody may see.
         */
        get: operations["suggest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Traces
         * @description Traces, newest first, without their spans and events.
         */
        get: operations["list_traces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces/{trace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Trace
         * @description One whole trace.
         */
        get: operations["get_trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces/{trace_id}/flow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trace Flow
         * @description How each passage of a question moved from list to list, and where it ended.
         */
        get: operations["trace_flow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces/{trace_id}/passages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trace Passages
         * @description The passages that a question's lists held, with their texts, to be labelled.
         */
        get: operations["trace_passages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces/{trace_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay Trace
         * @description Do again what a trace is of, on today's data and settings or changed ones, and say what differs.
         *
         *     A question is asked with the rights of whoever replays it. A file is read again, and nothing of it is stored.
         */
        post: operations["replay_trace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/traces/{trace_id}/whereabouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whereabouts
         * @description Why a document is in the answer to a question, or is not.
         */
        get: operations["whereabouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description Answers as soon as the process does; `/health` without a token.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Activities */
        Activities: {
            day: components["schemas"]["Activity"];
            month: components["schemas"]["Activity"];
        };
        /** Activity */
        Activity: {
            /** Count */
            count: number;
            /**
             * Degraded
             * @description Those that worked without some stage.
             */
            degraded: number;
            /** Failed */
            failed: number;
            /** Nothing Found */
            nothing_found: number;
            /** P50 Ms */
            p50_ms: number | null;
            /** P95 Ms */
            p95_ms: number | null;
        };
        /**
         * AnswerVerifyBody
         * @description An answer that somebody else's model wrote from passages of ours.
         */
        AnswerVerifyBody: {
            /** Answer */
            answer: string;
            /** Citations */
            citations: components["schemas"]["GivenCitation"][];
        };
        /** AskedPicture */
        AskedPicture: {
            /**
             * Alike
             * @description Pictures that look the same, by asset id, the nearest first.
             */
            alike: string[];
            /**
             * Description
             * @description By rules, whatever captioner the settings name.
             */
            description: string;
            /**
             * Image Type
             * @enum {string}
             */
            image_type: "table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown";
            /**
             * Text
             * @description What was read in it.
             */
            text: string;
        };
        /** AssetDetails */
        AssetDetails: {
            /** Asset Id */
            asset_id: string;
            /** @description The one that is shown. */
            description: components["schemas"]["PictureDescription"] | null;
            /**
             * Descriptions
             * @description Every one that is kept, and failures, the newest first.
             */
            descriptions: components["schemas"]["PictureDescription"][];
            /**
             * Documents
             * @description The first documents that show it and that you may see.
             */
            documents: components["schemas"]["ShowingDocument"][];
            /** Height */
            height: number;
            /**
             * Lines
             * @description The same, line by line with its places; none where they are not known.
             */
            lines: components["schemas"]["ReadLine"][];
            /** Mime */
            mime: string;
            /**
             * Not Read
             * @description Why it was not read.
             */
            not_read: string | null;
            /**
             * Passages
             * @description The first passages of these documents that it stands in.
             */
            passages: components["schemas"]["ShowingPassage"][];
            /**
             * Text
             * @description What was read in it.
             */
            text: string;
            /** Width */
            width: number;
        };
        /** AssetItem */
        AssetItem: {
            /** Asset Id */
            asset_id: string;
            /** Caption */
            caption: string;
            /** Described By */
            described_by: string;
            /** Doc Id */
            doc_id: string;
            /** Image Type */
            image_type: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | null;
            /**
             * More
             * @description With `fold`: how many further entries show the same, as copies or in other documents.
             */
            more: number;
            /**
             * Same As
             * @description The picture of which this was said, where this one shows the same. Empty: itself.
             */
            same_as: string;
            /** Source */
            source: string;
            /**
             * State
             * @enum {string}
             */
            state: "described" | "low_quality" | "failed" | "missing";
            /** Summary */
            summary: string;
        };
        /** AssetPage */
        AssetPage: {
            /** Items */
            items: components["schemas"]["AssetItem"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * AttachmentBody
         * @description A file or a selection that the user attached to the question.
         */
        AttachmentBody: {
            /** Name */
            name: string;
            /** Text */
            text: string;
        };
        /**
         * AuthorAgreement
         * @description Cohen's kappa of two authors over the passages that both have judged, with its 95 % interval; null where it has no value,
         *     as both gave one grade to everything. `table[i][j]` counts those with grade i by the first and j by the second.
         */
        AuthorAgreement: {
            /** Agreed */
            agreed: number;
            /** First */
            first: string;
            /** High */
            high: number | null;
            /** Kappa */
            kappa: number | null;
            /** Low */
            low: number | null;
            /** Passages */
            passages: number;
            /** Second */
            second: string;
            /** Table */
            table: number[][];
            /** Weighted Kappa */
            weighted_kappa: number | null;
        };
        /** BrowserLink */
        BrowserLink: {
            /**
             * Path
             * @description Behind the daemon's URL; it works once, within two minutes.
             */
            path: string;
        };
        /**
         * CacheUse
         * @description Of the newest 200 files that were read: vectors that were there already, and those that were made.
         */
        CacheUse: {
            /** Hits */
            hits: number;
            /** Misses */
            misses: number;
        };
        /** CandidateDocument */
        CandidateDocument: {
            /** Doc Id */
            doc_id: string;
            /** Place */
            place: string;
            /** Source */
            source: string;
            /** Title */
            title: string;
        };
        /**
         * CaptionBody
         * @description Which pictures are described: the missing ones, and those that failed; or others as well.
         */
        CaptionBody: {
            /**
             * Anew
             * @description The pictures of `asset_ids` once more, whatever is said of them.
             * @default false
             */
            anew: boolean;
            /**
             * Asset Ids
             * @description Only these.
             */
            asset_ids?: string[] | null;
            /**
             * Low Quality
             * @description Also those of which little was said.
             * @default false
             */
            low_quality: boolean;
            /**
             * Redo
             * @description Those that this model, or captioner, has described.
             */
            redo?: string | null;
        };
        /** CaptionStarted */
        CaptionStarted: {
            /**
             * Job Id
             * @description None where there is nothing to do.
             */
            job_id: string | null;
        };
        /**
         * Changed
         * @description Something with another value; null where one side has none.
         */
        Changed: {
            /** After */
            after: unknown;
            /** Before */
            before: unknown;
            /** Name */
            name: string;
        };
        /** ChartSeries */
        ChartSeries: {
            /** Name */
            name: string;
            /** Points */
            points: [
                string,
                string
            ][];
        };
        /**
         * ChatBody
         * @description A question to be answered in words; its history goes to the model, too.
         */
        ChatBody: {
            /**
             * Collection
             * @description One, or several; without it every enabled collection is searched.
             */
            collection?: string | string[] | null;
            /**
             * Evaluation
             * @description The evaluation run that asks; the trace links to it.
             */
            evaluation?: string | null;
            /**
             * Explain
             * @description Whether the answer tells how the question was understood.
             * @default false
             */
            explain: boolean;
            /**
             * Extractive
             * @description Answer with the passages' own sentences, also where a language model is set.
             * @default false
             */
            extractive: boolean;
            /**
             * FiltersBody
             * @description Hard filters; what is not named does not filter.
             */
            filters?: {
                among?: {
                    /**
                     * Collection
                     * @description Names of collections.
                     */
                    collection?: string | string[] | null;
                    /** Doc Id */
                    doc_id?: string | string[] | null;
                    /**
                     * Path Prefix
                     * @description Beginnings of paths, as shown or absolute.
                     */
                    path_prefix?: string | string[] | null;
                    /**
                     * Source Id
                     * @description Sources, by id: followed folders, spaces, projects.
                     */
                    source_id?: string | string[] | null;
                } | null;
                /** Doc Id */
                doc_id?: string | string[] | null;
                /**
                 * Doc Type
                 * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
                 */
                doc_type?: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
                /**
                 * Has Image
                 * @description Only passages that show a picture, or only those that show none.
                 */
                has_image?: boolean | null;
                /**
                 * Image Type
                 * @description Only passages with a picture that its description takes for one of these.
                 */
                image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
                /**
                 * Language
                 * @description en, ja or zh.
                 */
                language?: string | string[] | null;
                /** Path Prefix */
                path_prefix?: string | null;
                /**
                 * Section
                 * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
                 */
                section?: string | string[] | null;
                /**
                 * Section Prefix
                 * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
                 */
                section_prefix?: string | string[] | null;
                /** Source */
                source?: string | string[] | null;
                /**
                 * Tags
                 * @description A document without any tags is not shut out.
                 */
                tags?: string | string[] | null;
                /**
                 * Updated After
                 * @description ISO 8601
                 */
                updated_after?: string | null;
                /**
                 * Updated Before
                 * @description ISO 8601
                 */
                updated_before?: string | null;
                /**
                 * Version Id
                 * @description Only live versions can be searched; another one is an error.
                 */
                version_id?: string | string[] | null;
            };
            /**
             * History
             * @description The turns before the question, oldest first; they make a follow-up self-contained.
             */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** Max Context Tokens */
            max_context_tokens?: number | null;
            /**
             * PreferBody
             * @description Soft preferences: they move passages up and never drop one.
             */
            prefer?: {
                /** Has Image */
                has_image?: boolean | null;
                /** Recent */
                recent?: boolean | null;
                /**
                 * Source
                 * @description Sources, or beginnings of them.
                 */
                source?: string | string[] | null;
            };
            /** Query */
            query: string;
            /** Rerank */
            rerank?: boolean | null;
            /**
             * Strategy
             * @description hybrid, dense_only, sparse_only, or a named strategy.
             */
            strategy?: string | null;
            /** Top K */
            top_k?: number | null;
        };
        /**
         * ChatDelta
         * @description The next piece of the answer.
         */
        ChatDelta: {
            /** Text */
            text: string;
        };
        /**
         * ChatDone
         * @description The whole answer. `citations` are those that it refers to.
         */
        ChatDone: {
            /** Answer */
            answer: string;
            /** Citations */
            citations: components["schemas"]["Citation"][];
            /** Degraded */
            degraded: string[];
            /**
             * Finish
             * @enum {string}
             */
            finish: "complete" | "length" | "cut_off" | "cancelled";
            /** Found */
            found: boolean;
            /** Model */
            model: string;
            /**
             * Provider
             * @description `extractive` for the passages' own sentences.
             */
            provider: string;
            /**
             * Removed Citations
             * @description References to passages that were never given.
             */
            removed_citations: number;
            /** Support */
            support: components["schemas"]["Support"][];
            /** Trace Id */
            trace_id: string;
            /** Usage */
            usage: {
                [key: string]: unknown;
            };
            /** Warnings */
            warnings: string[];
        };
        /**
         * ChatEvents
         * @description The events of `POST /api/chat`, and the data of each.
         */
        ChatEvents: {
            delta: components["schemas"]["ChatDelta"];
            done: components["schemas"]["ChatDone"];
            error: components["schemas"]["ErrorBody"];
            retrieval: components["schemas"]["QueryAnswer"];
        };
        /**
         * Check
         * @description What one look found. `mend` says what to do; it is empty when nothing is to be done.
         */
        Check: {
            /**
             * Level
             * @enum {string}
             */
            level: "ok" | "warn" | "fail";
            /**
             * Mend
             * @default
             */
            mend: string;
            /** Message */
            message: string;
            /** Name */
            name: string;
        };
        /**
         * Checks
         * @description What `rag doctor` reports of the database, the model and the indexes.
         */
        Checks: {
            /** Checks */
            checks: components["schemas"]["Check"][];
        };
        /** Chunk */
        Chunk: {
            /**
             * Anchor
             * @description Put behind `source_uri`, it opens a web page at this place.
             */
            anchor?: string | null;
            /** Bbox */
            bbox?: [
                number,
                number,
                number,
                number
            ] | null;
            /** Cell Range */
            cell_range?: string | null;
            /** Chunk Id */
            chunk_id: string;
            /** Content */
            content: string;
            /** Enrichment */
            enrichment?: {
                [key: string]: unknown;
            } | null;
            /** Image Refs */
            image_refs: string[];
            /** Line Range */
            line_range?: [
                number,
                number
            ] | null;
            /** Ordinal */
            ordinal: number;
            /** Page */
            page?: number | null;
            /** Section Id */
            section_id: string;
            /** Section Path */
            section_path: string[];
            /** Sheet */
            sheet?: string | null;
            /** Slide */
            slide?: number | null;
        };
        /** ChunkPage */
        ChunkPage: {
            /** Items */
            items: components["schemas"]["Chunk"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * Citation
         * @description What a number in the context stands for: all that is needed to show the passage, or to build a prompt of one's own.
         */
        Citation: {
            /**
             * Anchor
             * @description Put behind `source_uri`, it opens a web page at this place.
             */
            anchor?: string | null;
            /**
             * As Of
             * @description The day on which this text was fetched, when it was not held against what is there now.
             */
            as_of?: string | null;
            /** Bbox */
            bbox?: [
                number,
                number,
                number,
                number
            ] | null;
            /** Cell Range */
            cell_range?: string | null;
            /** Chunk Id */
            chunk_id: string;
            /**
             * Chunk Ids
             * @description Of neighbours that were joined, best first.
             */
            chunk_ids?: string[] | null;
            /** Collection */
            collection: string;
            /**
             * Content
             * @description The passage as it stands in the context, neighbours joined.
             */
            content: string;
            /** Doc Id */
            doc_id: string;
            /**
             * Doc Type
             * @enum {string}
             */
            doc_type: "pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira";
            /**
             * Highlights
             * @description Characters (code points) of `content`, `[start, end)`: the sentences that bear out the question or, in a finished answer, the answer.
             */
            highlights?: [
                number,
                number
            ][] | null;
            /** Id */
            id: number;
            /** Images */
            images: components["schemas"]["Image"][];
            /** Line Range */
            line_range?: [
                number,
                number
            ] | null;
            /**
             * Live Version
             * @description The version that this text was taken from, when that is newer than the index.
             */
            live_version?: string | null;
            /**
             * Mermaid
             * @description Drawings of the passage's diagrams, in Mermaid: derived from them, not the document's words.
             */
            mermaid?: string[] | null;
            /** Page */
            page?: number | null;
            /** Section Path */
            section_path: string[];
            /** Sheet */
            sheet?: string | null;
            /** Slide */
            slide?: number | null;
            /** Source */
            source: string;
            /** Source Uri */
            source_uri: string;
            /** Title */
            title: string;
        };
        /**
         * CloudPreview
         * @description What a cloud source would give, seen with its own token: who that is, what there is, the first names.
         */
        CloudPreview: {
            /** Account */
            account: string;
            /** Containers */
            containers: components["schemas"]["Container"][];
            /** Deployment */
            deployment: string;
            /** Names */
            names: string[];
            /** Warnings */
            warnings: string[];
        };
        /** Collection */
        Collection: {
            /** Chunk Count */
            chunk_count: number;
            /** Created At */
            created_at: string;
            /** Description */
            description: string;
            /** Document Count */
            document_count: number;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Status
             * @enum {string}
             */
            status: "enabled" | "disabled" | "deleted";
            /** Updated At */
            updated_at: string;
        };
        /** CollectionChange */
        CollectionChange: {
            /** Description */
            description?: string | null;
            /** Name */
            name?: string | null;
            /** Status */
            status?: ("enabled" | "disabled") | null;
        };
        /** CollectionCreate */
        CollectionCreate: {
            /**
             * Description
             * @default
             */
            description: string;
            /** Name */
            name: string;
        };
        /** CollectionGuide */
        CollectionGuide: {
            /** Collection */
            collection: string;
            /** Document Count */
            document_count: number;
            /**
             * Documents
             * @description Those that may be seen, 200 at most.
             */
            documents: components["schemas"]["GuidedDocument"][];
            /** Questions */
            questions: components["schemas"]["SuggestedQuestion"][];
            /** Topics */
            topics: string[];
        };
        /** CollectionPage */
        CollectionPage: {
            /** Items */
            items: components["schemas"]["Collection"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** CollectionReport */
        CollectionReport: {
            /** Chunks */
            chunks: number;
            /** Collection */
            collection: string;
            damaged_facts: components["schemas"]["DocumentsAndViews"];
            damaged_tokens: components["schemas"]["DocumentsAndViews"];
            /** Documents */
            documents: number;
            missing_from_views: components["schemas"]["DocumentsAndViews"];
            missing_tokens: components["schemas"]["DocumentsAndViews"];
            missing_vectors: components["schemas"]["DocumentsAndViews"];
            /** Ok */
            ok: boolean;
            outdated_profile: components["schemas"]["DocumentsAndViews"];
            /** Surplus Entries */
            surplus_entries: {
                [key: string]: number;
            };
        };
        /**
         * ComparedList
         * @description A ranked list then and now; null where it was not made or is not kept.
         */
        ComparedList: {
            /** After */
            after: number | null;
            /** Before */
            before: number | null;
            /** Entered */
            entered: string[];
            /** Kept */
            kept: number;
            /** Left */
            left: string[];
            /**
             * Moved
             * @description Of those that were kept, how many have another rank.
             */
            moved: number;
            /**
             * Name
             * @enum {string}
             */
            name: "dense" | "sparse" | "feedback" | "fusion" | "rerank" | "context";
            /**
             * Score Drift
             * @description The greatest difference of a score among those that were kept.
             */
            score_drift: number;
        };
        /**
         * ComparedMetric
         * @description `p` is the chance of such a difference when both runs are equally good (paired randomisation test).
         */
        ComparedMetric: {
            /** Difference */
            difference: number;
            /** First */
            first: number;
            /** Losses */
            losses: number;
            /** Metric */
            metric: string;
            /** P */
            p: number;
            /** Second */
            second: number;
            /** Wins */
            wins: number;
        };
        /** ComparedQuestion */
        ComparedQuestion: {
            /** Difference */
            difference: number;
            /** First */
            first: number;
            /** First Trace */
            first_trace: string;
            /** Id */
            id: string;
            /** Query */
            query: string;
            /** Second */
            second: number;
            /** Second Trace */
            second_trace: string;
        };
        /**
         * Container
         * @description A space or project; `items` is null where the remote side does not count.
         */
        Container: {
            /** Items */
            items: number | null;
            /** Key */
            key: string;
            /** Name */
            name: string;
        };
        /**
         * Controls
         * @description Questions whose verdict is known, which a judge was asked first.
         */
        Controls: {
            /** Asked */
            asked: number;
            /** Right */
            right: number;
        };
        /** Counts */
        Counts: {
            /** Chunks */
            chunks: number;
            /** Collections */
            collections: number;
            /** Documents */
            documents: number;
        };
        /**
         * DaemonEvents
         * @description The events of `GET /api/events`, and the data of each.
         */
        DaemonEvents: {
            state: components["schemas"]["DaemonState"];
            stopping: components["schemas"]["StreamEnd"];
        };
        /**
         * DaemonOverview
         * @description What the daemon holds and did, as far as `observability.keep_traces` goes back.
         */
        DaemonOverview: {
            cache: components["schemas"]["CacheUse"];
            chunks: components["schemas"]["Growth"];
            documents: components["schemas"]["Growth"];
            ingestions: components["schemas"]["Activities"];
            pictures: components["schemas"]["Growth"];
            queries: components["schemas"]["Activities"];
        };
        /**
         * DaemonState
         * @description What an editor shows all the time; the event `state` of `/api/events`.
         */
        DaemonState: {
            /**
             * Changes
             * @description Differs whenever documents, collections or sources have changed.
             */
            changes: string;
            counts: components["schemas"]["Counts"];
            /** Failed Documents */
            failed_documents: number;
            /**
             * Jobs
             * @description The first 50 of those that wait or run, oldest first.
             */
            jobs: components["schemas"]["Job"][];
            /** Unfinished Jobs */
            unfinished_jobs: number;
            /** Version */
            version: string;
        };
        /** DashboardLink */
        DashboardLink: {
            /**
             * Path
             * @description Behind the daemon's URL; it works once, within two minutes.
             */
            path: string;
        };
        /**
         * Dataset
         * @description A version of a dataset, its questions page by page; `versions` are all that are kept, newest first.
         *
         *     `unlabelled` counts its questions of which nobody has said yet what answers them: they are not asked.
         */
        Dataset: {
            questions: components["schemas"]["Page_NumberedQuestion_"];
            /** Unlabelled */
            unlabelled: number;
            version: components["schemas"]["DatasetRow"];
            /** Versions */
            versions: components["schemas"]["DatasetRow"][];
        };
        /**
         * DatasetBody
         * @description A dataset to be kept. `text` is a file's, as `rag eval run --dataset` reads it; without one it begins empty.
         */
        DatasetBody: {
            /** Name */
            name: string;
            /**
             * Text
             * @default
             */
            text: string;
        };
        /** DatasetPage */
        DatasetPage: {
            /** Items */
            items: components["schemas"]["DatasetRow"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * DatasetRow
         * @description A version of a dataset; `digest` is what a run names as `dataset_hash`, `position` counts the versions from 1.
         */
        DatasetRow: {
            /** Author */
            author: string;
            /** Created At */
            created_at: string;
            /** Digest */
            digest: string;
            /** Name */
            name: string;
            /** Position */
            position: number;
            /** Questions */
            questions: number;
        };
        /** DatasetText */
        DatasetText: {
            /** Digest */
            digest: string;
            /** Name */
            name: string;
            /** Text */
            text: string;
        };
        /** Document */
        Document: {
            /** Chunk Count */
            chunk_count: number;
            /** Collection */
            collection: string;
            /**
             * Doc Type
             * @enum {string}
             */
            doc_type: "pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira";
            error?: components["schemas"]["Trouble"] | null;
            /**
             * Has Unprocessed Images
             * @description Whether it shows pictures that nothing is said of: not described yet, or not at all.
             */
            has_unprocessed_images: boolean;
            /** Id */
            id: string;
            /** Language */
            language: string | null;
            /**
             * Restricted
             * @description True when it needs a token that may read it: then nothing here says what it is.
             */
            restricted?: boolean | null;
            /** Size */
            size: number;
            /** Source */
            source: string;
            /** Source Uri */
            source_uri: string;
            /**
             * Status
             * @enum {string}
             */
            status: "ready" | "processing" | "failed" | "deleted";
            /** Summary */
            summary: string;
            /** Tags */
            tags: string[];
            /** Title */
            title: string;
            /** Updated At */
            updated_at: string;
            /** Version Id */
            version_id: string | null;
        };
        /** DocumentContent */
        DocumentContent: {
            /** Id */
            id: string;
            /** Markdown */
            markdown: string;
        };
        /** DocumentDetail */
        DocumentDetail: {
            /** Chunk Count */
            chunk_count: number;
            /** Collection */
            collection: string;
            /**
             * Doc Type
             * @enum {string}
             */
            doc_type: "pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira";
            error?: components["schemas"]["Trouble"] | null;
            /**
             * Has Unprocessed Images
             * @description Whether it shows pictures that nothing is said of: not described yet, or not at all.
             */
            has_unprocessed_images: boolean;
            /** Id */
            id: string;
            /** Keywords */
            keywords: string[];
            /** Language */
            language: string | null;
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Restricted
             * @description True when it needs a token that may read it: then nothing here says what it is.
             */
            restricted?: boolean | null;
            /** Size */
            size: number;
            /** Source */
            source: string;
            /** Source Uri */
            source_uri: string;
            /**
             * Status
             * @enum {string}
             */
            status: "ready" | "processing" | "failed" | "deleted";
            /** Summary */
            summary: string;
            /** Tags */
            tags: string[];
            /** Title */
            title: string;
            /** Updated At */
            updated_at: string;
            /** Version Id */
            version_id: string | null;
            /**
             * Versions
             * @description The live one first, then older ones, the newest first.
             */
            versions: components["schemas"]["DocumentVersion"][];
            /** Warnings */
            warnings: string[];
        };
        /** DocumentGuide */
        DocumentGuide: {
            /**
             * By
             * @enum {string}
             */
            by: "rules" | "model";
            /** Id */
            id: string;
            /** Language */
            language: string | null;
            /**
             * Outline
             * @description The headings in order, 200 at most.
             */
            outline: components["schemas"]["OutlineEntry"][];
            /** Questions */
            questions: components["schemas"]["SuggestedQuestion"][];
            /** Source */
            source: string;
            /**
             * Summary
             * @description Sentences of the document without licences and imprints; a model's where `by` says so.
             */
            summary: string;
            /** Title */
            title: string;
            /** Topics */
            topics: string[];
        };
        /** DocumentPage */
        DocumentPage: {
            /** Items */
            items: components["schemas"]["Document"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** DocumentVersion */
        DocumentVersion: {
            /** Chunk Count */
            chunk_count: number;
            /** Chunk Hash */
            chunk_hash: string;
            /** Content Hash */
            content_hash: string;
            /** Created At */
            created_at: string;
            /** Loader */
            loader: string;
            /** Loader Version */
            loader_version: string;
            /** Md Sha256 */
            md_sha256: string;
            /** Parser */
            parser: string;
            /** Profile Id */
            profile_id: string;
            /** Ready At */
            ready_at: string | null;
            /** Section Count */
            section_count: number;
            /** Section Hash */
            section_hash: string;
            /** Size */
            size: number;
            /** Status */
            status: string;
            /** Version Id */
            version_id: string;
        };
        /** DocumentWhereabouts */
        DocumentWhereabouts: {
            /** Chunk Ids */
            chunk_ids: string[];
            /** Collection */
            collection: string;
            /** Doc Id */
            doc_id: string;
            /** In Answer */
            in_answer: boolean;
            /** Reasons */
            reasons: components["schemas"]["Reason"][];
            /** Source */
            source: string;
            /** Title */
            title: string;
        };
        /**
         * DocumentsAndViews
         * @description Documents that something is wrong with; at most fifty are named.
         */
        DocumentsAndViews: {
            /** Count */
            count: number;
            /** Doc Ids */
            doc_ids: string[];
        };
        /** Effective */
        Effective: {
            /** Degraded */
            degraded: string[];
            /** @description When passages of cloud sources were among those found. */
            live?: components["schemas"]["LiveCounts"] | null;
            /** Rerank Scored */
            rerank_scored: number;
            /** Reranked */
            reranked: boolean;
            /**
             * Strategy
             * @enum {string}
             */
            strategy: "hybrid" | "dense_only" | "sparse_only";
        };
        /** ErrorBody */
        ErrorBody: {
            error: components["schemas"]["ErrorInfo"];
        };
        /** ErrorInfo */
        ErrorInfo: {
            /** Code */
            code: string;
            /** Details */
            details: components["schemas"]["Problem"][];
            /** Message */
            message: string;
            /** Request Id */
            request_id: string;
        };
        /**
         * EvaluatedQuestion
         * @description A question of a run: what answers it and where that came, the first passages that were found, and the metrics.
         */
        EvaluatedQuestion: {
            /**
             * Artifacts
             * @description Stages of the passages, context, times, and the answer.
             * @default {}
             */
            artifacts: {
                [key: string]: unknown;
            };
            /** Found */
            found: components["schemas"]["FoundPassage"][];
            /** Groups */
            groups: {
                [key: string]: string;
            };
            /** Id */
            id: string;
            /** Latency Ms */
            latency_ms: number;
            /** Metrics */
            metrics: {
                [key: string]: number;
            };
            /** Query */
            query: string;
            /** Relevant */
            relevant: components["schemas"]["RelevantPlace"][];
            /** Results */
            results: number;
            /** Trace Id */
            trace_id: string;
        };
        /** EvaluatedQuestionPage */
        EvaluatedQuestionPage: {
            /** Items */
            items: components["schemas"]["QuestionRow"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** Evaluation */
        Evaluation: {
            /** Collection */
            collection: string;
            /** Dataset */
            dataset: string;
            /** Dataset Hash */
            dataset_hash: string;
            /** Finished At */
            finished_at: string;
            metrics: components["schemas"]["Summaries"];
            /** Name */
            name: string;
            options: components["schemas"]["EvaluationOptions"];
            /** Questions */
            questions: components["schemas"]["EvaluatedQuestion"][];
            /** Run Id */
            run_id: string;
            /** Started At */
            started_at: string;
            /** Strategy */
            strategy: string;
            /** Strategy Config Id */
            strategy_config_id: string;
        };
        /**
         * EvaluationChoices
         * @description What an evaluation can be asked for. `answers_by` names the language model, and is empty where answers are extracts.
         */
        EvaluationChoices: {
            /** Answers By */
            answers_by: string;
            /** Datasets */
            datasets: string[];
            /** Judges */
            judges: components["schemas"]["JudgingModel"][];
            /** Metric Sets */
            metric_sets: components["schemas"]["OfferedMetricSet"][];
            /** Strategies */
            strategies: string[];
            /** Tunable */
            tunable: components["schemas"]["TunableSetting"][];
        };
        /**
         * EvaluationComparison
         * @description Two runs of the same questions; `changed` are questions by `metric`, the greatest loss of the second first.
         */
        EvaluationComparison: {
            changed: components["schemas"]["Page_ComparedQuestion_"];
            first: components["schemas"]["EvaluationRow"];
            /** Metric */
            metric: string;
            /** Metrics */
            metrics: components["schemas"]["ComparedMetric"][];
            /** Questions */
            questions: number;
            second: components["schemas"]["EvaluationRow"];
        };
        /**
         * EvaluationCost
         * @description About how often the judging model is asked for a run: by `judge` and by tools, and in all; `limit` is what is allowed.
         *
         *     Answers are taken to have four sentences, contexts as many passages as are asked for, and nothing to be known from earlier
         *     runs. A reply without the form is asked for once more.
         */
        EvaluationCost: {
            /** Calls */
            calls: {
                [key: string]: number;
            };
            /** Limit */
            limit: number;
            /** Questions */
            questions: number;
            /** Total */
            total: number;
        };
        /** EvaluationFigures */
        EvaluationFigures: {
            /**
             * Groups
             * @description The main metric of each group of questions.
             */
            groups: components["schemas"]["GroupFigure"][];
            /**
             * Main
             * @description The metric that stands for the quality of an answer.
             */
            main: string;
            /** Metrics */
            metrics: components["schemas"]["Figure"][];
            run: components["schemas"]["EvaluationRow"];
        };
        /**
         * EvaluationJob
         * @description A job, what it was asked, and what came of it: the ids of runs, or what a search found, also as a strategy's file.
         */
        EvaluationJob: {
            /** Collection */
            collection: string;
            /** Created At */
            created_at: string;
            /** Dataset */
            dataset: string;
            error: components["schemas"]["Trouble"] | null;
            /** Finished At */
            finished_at: string | null;
            /** Job Id */
            job_id: string;
            /** Judge */
            judge: boolean;
            /** Judge Calls */
            judge_calls: number;
            /** Judge Strategy */
            judge_strategy: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "evaluation" | "tuning";
            /** Limit */
            limit: number | null;
            /** Metrics */
            metrics: string[];
            /** Minutes */
            minutes: number;
            /**
             * Mode
             * @enum {string}
             */
            mode: "retrieval_only" | "generation_only" | "end_to_end";
            /** Name */
            name: string;
            progress: components["schemas"]["Progress"];
            /** Run Ids */
            run_ids: string[];
            /** Settings */
            settings: string[];
            /** Started At */
            started_at: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
            /** Strategies */
            strategies: string[];
            /** Strategy File */
            strategy_file: string;
            tuned: components["schemas"]["TunedFound"] | null;
        };
        /** EvaluationJobPage */
        EvaluationJobPage: {
            /** Items */
            items: components["schemas"]["EvaluationJob"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** EvaluationOptions */
        EvaluationOptions: {
            judge?: components["schemas"]["JudgeAccount"] | null;
            /** Limit */
            limit: number | null;
            /**
             * Metric Sets
             * @default []
             */
            metric_sets: components["schemas"]["MetricSetAccount"][];
            /**
             * Mode
             * @default retrieval_only
             * @enum {string}
             */
            mode: "retrieval_only" | "generation_only" | "end_to_end";
            /** Rerank */
            rerank: boolean;
            /** Top K */
            top_k: number;
        };
        /** EvaluationPage */
        EvaluationPage: {
            /** Items */
            items: components["schemas"]["EvaluationRow"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** EvaluationRow */
        EvaluationRow: {
            /** Collection */
            collection: string;
            /** Dataset */
            dataset: string;
            /** Dataset Hash */
            dataset_hash: string;
            /** Finished At */
            finished_at: string;
            metrics: components["schemas"]["Summaries"];
            /** Name */
            name: string;
            options: components["schemas"]["EvaluationOptions"];
            /** Run Id */
            run_id: string;
            /** Started At */
            started_at: string;
            /** Strategy */
            strategy: string;
            /** Strategy Config Id */
            strategy_config_id: string;
        };
        /** Explained */
        Explained: {
            /** Chunk Id */
            chunk_id: string;
            /**
             * Features
             * @description What the learned fusion made the score of.
             */
            features?: components["schemas"]["Feature"][] | null;
            /** Moves */
            moves: string[];
            /**
             * Stages
             * @description dense, sparse, fusion, and what ran of feedback, rerank, prefer and diversity.
             */
            stages: {
                [key: string]: components["schemas"]["StageRank"];
            };
        };
        /** FailedFile */
        FailedFile: {
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Source */
            source: string;
        };
        /** Feature */
        Feature: {
            /**
             * Contribution
             * @description Value times weight; the fused score is the sum of these, scaled to 0..1.
             */
            contribution: number;
            /** Feature */
            feature: string;
            /** Value */
            value: number;
            /** Weight */
            weight: number;
        };
        /** Feedback */
        Feedback: {
            /** Answer */
            answer: string | null;
            /** Collection */
            collection: string | null;
            /** Comment */
            comment: string | null;
            /** Created At */
            created_at: string;
            /** Filters */
            filters: {
                [key: string]: unknown;
            } | null;
            /** History */
            history: components["schemas"]["TurnBody"][];
            /** Id */
            id: string;
            /** Question */
            question: string;
            /** Relevant */
            relevant: components["schemas"]["RelevantTo"][];
            /** Trace Id */
            trace_id: string | null;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "up" | "down";
        };
        /**
         * FeedbackBody
         * @description `chunk_ids` are the passages that were shown, best those that the answer cites. Their places are kept, not the ids.
         */
        FeedbackBody: {
            /** Answer */
            answer?: string | null;
            /** Chunk Ids */
            chunk_ids: string[];
            /**
             * Collection
             * @description The collection that was asked; without it, every enabled one.
             */
            collection?: string | null;
            /** Comment */
            comment?: string | null;
            /**
             * FiltersBody
             * @description Hard filters; what is not named does not filter.
             */
            filters?: {
                among?: {
                    /**
                     * Collection
                     * @description Names of collections.
                     */
                    collection?: string | string[] | null;
                    /** Doc Id */
                    doc_id?: string | string[] | null;
                    /**
                     * Path Prefix
                     * @description Beginnings of paths, as shown or absolute.
                     */
                    path_prefix?: string | string[] | null;
                    /**
                     * Source Id
                     * @description Sources, by id: followed folders, spaces, projects.
                     */
                    source_id?: string | string[] | null;
                } | null;
                /** Doc Id */
                doc_id?: string | string[] | null;
                /**
                 * Doc Type
                 * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
                 */
                doc_type?: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
                /**
                 * Has Image
                 * @description Only passages that show a picture, or only those that show none.
                 */
                has_image?: boolean | null;
                /**
                 * Image Type
                 * @description Only passages with a picture that its description takes for one of these.
                 */
                image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
                /**
                 * Language
                 * @description en, ja or zh.
                 */
                language?: string | string[] | null;
                /** Path Prefix */
                path_prefix?: string | null;
                /**
                 * Section
                 * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
                 */
                section?: string | string[] | null;
                /**
                 * Section Prefix
                 * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
                 */
                section_prefix?: string | string[] | null;
                /** Source */
                source?: string | string[] | null;
                /**
                 * Tags
                 * @description A document without any tags is not shut out.
                 */
                tags?: string | string[] | null;
                /**
                 * Updated After
                 * @description ISO 8601
                 */
                updated_after?: string | null;
                /**
                 * Updated Before
                 * @description ISO 8601
                 */
                updated_before?: string | null;
                /**
                 * Version Id
                 * @description Only live versions can be searched; another one is an error.
                 */
                version_id?: string | string[] | null;
            };
            /** History */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** Question */
            question: string;
            /** Trace Id */
            trace_id?: string | null;
            /**
             * Verdict
             * @enum {string}
             */
            verdict: "up" | "down";
        };
        /** FeedbackPage */
        FeedbackPage: {
            /** Items */
            items: components["schemas"]["Feedback"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * Figure
         * @description The mean of a metric over the questions that have it, and its 95 % interval.
         */
        Figure: {
            /** Counted */
            counted: number;
            /** High */
            high: number;
            /** Low */
            low: number;
            /** Mean */
            mean: number;
            /** Metric */
            metric: string;
        };
        /**
         * FiltersBody
         * @description Hard filters; what is not named does not filter.
         */
        FiltersBody: {
            /** @default null */
            among: {
                /**
                 * Collection
                 * @description Names of collections.
                 * @default null
                 */
                collection: string | string[] | null;
                /**
                 * Doc Id
                 * @default null
                 */
                doc_id: string | string[] | null;
                /**
                 * Path Prefix
                 * @description Beginnings of paths, as shown or absolute.
                 * @default null
                 */
                path_prefix: string | string[] | null;
                /**
                 * Source Id
                 * @description Sources, by id: followed folders, spaces, projects.
                 * @default null
                 */
                source_id: string | string[] | null;
            } | null;
            /**
             * Doc Id
             * @default null
             */
            doc_id: string | string[] | null;
            /**
             * Doc Type
             * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
             * @default null
             */
            doc_type: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
            /**
             * Has Image
             * @description Only passages that show a picture, or only those that show none.
             * @default null
             */
            has_image: boolean | null;
            /**
             * Image Type
             * @description Only passages with a picture that its description takes for one of these.
             * @default null
             */
            image_type: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
            /**
             * Language
             * @description en, ja or zh.
             * @default null
             */
            language: string | string[] | null;
            /**
             * Path Prefix
             * @default null
             */
            path_prefix: string | null;
            /**
             * Section
             * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
             * @default null
             */
            section: string | string[] | null;
            /**
             * Section Prefix
             * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
             * @default null
             */
            section_prefix: string | string[] | null;
            /**
             * Source
             * @default null
             */
            source: string | string[] | null;
            /**
             * Tags
             * @description A document without any tags is not shut out.
             * @default null
             */
            tags: string | string[] | null;
            /**
             * Updated After
             * @description ISO 8601
             * @default null
             */
            updated_after: string | null;
            /**
             * Updated Before
             * @description ISO 8601
             * @default null
             */
            updated_before: string | null;
            /**
             * Version Id
             * @description Only live versions can be searched; another one is an error.
             * @default null
             */
            version_id: string | string[] | null;
        };
        /**
         * Flow
         * @description How each passage moved from list to list; those of the answer first.
         */
        Flow: {
            /** Candidates */
            candidates: components["schemas"]["FlowCandidate"][];
            /** Lists */
            lists: components["schemas"]["FlowList"][];
            /** Query */
            query: string | null;
            /** Trace Id */
            trace_id: string;
        };
        /**
         * FlowCandidate
         * @description A passage that some list held. `document` and `excerpt` are there where whoever asks may see them, and it is there.
         */
        FlowCandidate: {
            /** Chunk Id */
            chunk_id: string;
            document: components["schemas"]["FlowDocument"] | null;
            /**
             * End
             * @description How far it came.
             * @enum {string}
             */
            end: "context" | "no_room" | "not_served" | "beyond_top_k" | "beyond_list";
            /** Excerpt */
            excerpt: string | null;
            /** Live */
            live: boolean;
            /** Positions */
            positions: {
                [key: string]: components["schemas"]["FlowPosition"];
            };
        };
        /** FlowDocument */
        FlowDocument: {
            /** Doc Id */
            doc_id: string;
            /** Place */
            place: string;
            /** Source */
            source: string;
            /** Title */
            title: string;
        };
        /**
         * FlowList
         * @description A ranked list of a question, in the order of the stages.
         */
        FlowList: {
            /**
             * Found
             * @description How many there were, where that is recorded.
             */
            found: number | null;
            /**
             * Is Cut
             * @description Whether there may have been more than the trace keeps.
             */
            is_cut: boolean;
            /**
             * Listed
             * @description Candidates that the trace keeps.
             */
            listed: number;
            /**
             * Name
             * @enum {string}
             */
            name: "dense" | "sparse" | "feedback" | "fusion" | "rerank" | "context";
        };
        /** FlowPosition */
        FlowPosition: {
            /** Rank */
            rank: number;
            /** Score */
            score: number | null;
        };
        /** Folder */
        Folder: {
            /**
             * Documents
             * @description In it and below.
             */
            documents: number;
            /** Failed */
            failed: number;
            /** Name */
            name: string;
            /**
             * Path
             * @description As `path_prefix` takes it, without a slash at its end.
             */
            path: string;
            /** Processing */
            processing: number;
        };
        /**
         * FolderConfig
         * @description What a source of type `folder` is asked to do. Globs are written as in a `.gitignore`, and match in any case.
         */
        FolderConfig: {
            /**
             * Exclude
             * @description No file or folder that matches one of these.
             * @default []
             */
            exclude: string[];
            /**
             * Gitignore
             * @description Leave out what `.gitignore` files name.
             * @default true
             */
            gitignore: boolean;
            /**
             * Include
             * @description Only files that match one of these.
             * @default []
             */
            include: string[];
            /**
             * Path
             * @description Absolute path of the folder.
             */
            path: string;
            /**
             * Poll
             * @description Find changes by looking; null: on network drives only.
             * @default null
             */
            poll: boolean | null;
            /**
             * Watch
             * @description Follow changes while the daemon runs.
             * @default true
             */
            watch: boolean;
        };
        /** FolderPage */
        FolderPage: {
            /** Items */
            items: components["schemas"]["Folder"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** FoundPassage */
        FoundPassage: {
            /** Chunk Id */
            chunk_id: string;
            /** Place */
            place: {
                [key: string]: string | number | number[];
            };
            /** Score */
            score: number;
            /** Section */
            section: string;
            /** Source */
            source: string;
        };
        /**
         * GivenAnswer
         * @description `retrieval` has the passages as citations, `done` the answer made of them.
         */
        GivenAnswer: {
            done: components["schemas"]["ChatDone"];
            retrieval: components["schemas"]["QueryAnswer"];
        };
        /**
         * GivenBody
         * @description A question to be answered from passages that come with it: nothing is searched.
         */
        GivenBody: {
            /** Evaluation */
            evaluation?: string | null;
            /** History */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** Passages */
            passages: components["schemas"]["GivenPassage"][];
            /** Query */
            query: string;
            /**
             * Strategy
             * @description A mode, or the name of a file in `config/strategies/`.
             */
            strategy?: string | null;
        };
        /**
         * GivenCitation
         * @description A number that was given to a model, and the passages that stood under it: the `chunk_ids` of a citation.
         */
        GivenCitation: {
            /** Chunk Ids */
            chunk_ids: string[];
            /** Id */
            id: number;
        };
        /**
         * GivenPassage
         * @description A passage of a dataset.
         */
        GivenPassage: {
            /**
             * Source
             * @default
             */
            source: string;
            /** Text */
            text: string;
        };
        /** GroupFigure */
        GroupFigure: {
            /** Counted */
            counted: number;
            /** Group */
            group: string;
            /** High */
            high: number;
            /** Kind */
            kind: string;
            /** Low */
            low: number;
            /** Mean */
            mean: number;
            /** Metric */
            metric: string;
            /** Questions */
            questions: number;
        };
        /** Growth */
        Growth: {
            /**
             * Day
             * @description Of these, what came within 24 hours.
             */
            day: number;
            /**
             * Month
             * @description Of these, what came within 30 days.
             */
            month: number;
            /** Total */
            total: number;
        };
        /** GuidedDocument */
        GuidedDocument: {
            /** Id */
            id: string;
            /** Source */
            source: string;
            /** Title */
            title: string;
        };
        /** Health */
        Health: {
            /**
             * Status
             * @constant
             */
            status: "ok";
        };
        /** Image */
        Image: {
            /** Asset Id */
            asset_id: string;
            /** Caption */
            caption?: string | null;
            /**
             * Described By
             * @description Which captioner, and which model.
             */
            described_by?: string | null;
            /**
             * Description
             * @description What a captioner says of it: no words of the document.
             */
            description?: string | null;
            /**
             * Image Type
             * @description What the picture was taken for.
             */
            image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | null;
            /**
             * Mermaid
             * @description The diagram that it shows, as Mermaid text.
             */
            mermaid?: string | null;
            /** Mime */
            mime: string;
            /**
             * Same As
             * @description A picture that shows the same, of which the description was made: one of them need be shown.
             */
            same_as?: string | null;
            /**
             * Text
             * @description What was read in the picture.
             */
            text?: string | null;
            /** Url */
            url: string;
        };
        /**
         * ImageBody
         * @description A picture as a question, or a part of one.
         */
        ImageBody: {
            /**
             * Asset Id
             * @description A picture of a document that you may see.
             */
            asset_id?: string | null;
            /**
             * Data
             * @description The picture's file in base64; the whole request is within limits.max_body_size.
             */
            data?: string | null;
        };
        /** IngestBody */
        IngestBody: {
            /**
             * Collection
             * @default null
             */
            collection: string | null;
            /**
             * Force
             * @description Read again what has not changed.
             * @default false
             */
            force: boolean;
            /**
             * Gitignore
             * @description In folders, leave out what `.gitignore` files name.
             * @default true
             */
            gitignore: boolean;
            /**
             * Paths
             * @description Absolute paths of files and folders.
             */
            paths: string[];
            /**
             * Prune
             * @description Delete documents of the given folders whose files are no more.
             * @default false
             */
            prune: boolean;
            /**
             * Recursive
             * @default true
             */
            recursive: boolean;
            /**
             * Within
             * @description Absolute paths of folders that nothing may lie outside of, also not behind a link. It narrows what the daemon allows and never widens it.
             * @default null
             */
            within: string[] | null;
        };
        /** Job */
        Job: {
            /**
             * Attempts
             * @default 1
             */
            attempts: number;
            /** Collection */
            collection: string;
            /** Created At */
            created_at: string;
            error: components["schemas"]["Trouble"] | null;
            /** Finished At */
            finished_at: string | null;
            /** Job Id */
            job_id: string;
            /** Kind */
            kind: string;
            /** Not Before */
            not_before?: string | null;
            progress: components["schemas"]["Progress"];
            result: components["schemas"]["JobResult"] | null;
            /** Started At */
            started_at: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "failed" | "cancelled";
        };
        /**
         * JobEvents
         * @description The events of `GET /api/jobs/{job_id}/events`, and the data of each.
         */
        JobEvents: {
            end: components["schemas"]["Job"];
            progress: components["schemas"]["Job"];
            stopping: components["schemas"]["StreamEnd"];
        };
        /** JobPage */
        JobPage: {
            /** Items */
            items: components["schemas"]["Job"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** JobResult */
        JobResult: {
            /** Added */
            added: number;
            /** Chunks */
            chunks: number;
            /**
             * Deleted
             * @default 0
             */
            deleted: number;
            /**
             * Drift
             * @description Of a rebuild: how structure and lengths changed.
             */
            drift?: {
                [key: string]: unknown;
            } | null;
            /** Embedded */
            embedded: number;
            /** Failed */
            failed: components["schemas"]["FailedFile"][];
            /**
             * Gone
             * @description Documents whose files are no more.
             * @default 0
             */
            gone: number;
            /**
             * Gone Names
             * @description The first of them.
             * @default []
             */
            gone_names: string[];
            /**
             * Lacking Ocr
             * @description Documents with scans that need `rag extras add ocr`.
             * @default 0
             */
            lacking_ocr: number;
            /**
             * Left Out
             * @description Seen and not read, with the reason; at most 500.
             * @default []
             */
            left_out: components["schemas"]["FailedFile"][];
            /**
             * Left Out Count
             * @default 0
             */
            left_out_count: number;
            /**
             * Moved
             * @default 0
             */
            moved: number;
            /** Reused */
            reused: number;
            /** Skipped */
            skipped: number;
            /** Unchanged */
            unchanged: number;
            /** Updated */
            updated: number;
        };
        /** JobStarted */
        JobStarted: {
            /** Job Id */
            job_id: string;
        };
        /**
         * JudgeAccount
         * @description What judged a run and at what cost. Verdicts that are `unparsable`, `failed` or `too_long` do not count.
         */
        JudgeAccount: {
            /**
             * Cached
             * @description Verdicts taken over from earlier runs.
             */
            cached: number;
            /** Calls */
            calls: number;
            controls: components["schemas"]["Controls"];
            /** Failed */
            failed: number;
            /** Input Tokens */
            input_tokens: number;
            /** Model */
            model: string;
            /** Output Tokens */
            output_tokens: number;
            /**
             * Profile Id
             * @description Hash of provider, model and the wording of all questions.
             */
            profile_id: string;
            /** Provider */
            provider: string;
            /**
             * Reliable
             * @description Whether it was right about enough of them; null in runs of earlier versions.
             */
            reliable?: boolean | null;
            /** Retried */
            retried: number;
            /**
             * Stopped
             * @description Why not all was judged; empty when it was.
             */
            stopped: string;
            /** Too Long */
            too_long: number;
            /** Unparsable */
            unparsable: number;
        };
        /**
         * JudgingModel
         * @description A language model that can judge, and the strategy whose `llm.*` names it; `default` stands for the settings as they are.
         */
        JudgingModel: {
            /** Model */
            model: string;
            /** Strategy */
            strategy: string;
        };
        /**
         * Label
         * @description A mark that counts, and its passage as it stands today.
         *
         *     `restricted`: whoever asks may not see the document, so nothing of it is said. `text` is that of the passage while `state` is
         *     `there`. The place is written as in a dataset of `rag eval`.
         */
        Label: {
            /** Author */
            author: string;
            /** Chunk Id */
            chunk_id: string | null;
            /** Collection */
            collection: string;
            /** Created At */
            created_at: string;
            /** Doc Id */
            doc_id: string;
            /** Grade */
            grade: (0 | 1 | 2) | null;
            /** Label Id */
            label_id: string;
            /** Place */
            place: {
                [key: string]: string | number | number[];
            };
            /**
             * Position
             * @description Counts the marks of one author about one question: the newest one has the highest.
             */
            position: number;
            /** Question */
            question: string;
            /** Question Id */
            question_id: string;
            /** Restricted */
            restricted: boolean;
            /** Section */
            section: string;
            /** Source */
            source: string;
            /**
             * State
             * @enum {string}
             */
            state: "there" | "cut_otherwise" | "changed" | "gone";
            /** Text */
            text: string | null;
            /** Title */
            title: string;
            /** Trace Id */
            trace_id: string | null;
        };
        /** LabelAgreement */
        LabelAgreement: {
            /** Pairs */
            pairs: components["schemas"]["AuthorAgreement"][];
        };
        /**
         * LabelBody
         * @description What somebody says of a passage for a question.
         *
         *     0: it does not answer; 1: it has to do with it; 2: it answers it; null takes back what was said.
         */
        LabelBody: {
            /**
             * Author
             * @description Who judges, where the daemon's own token asks; a key or a person signed on judges by their own name.
             */
            author?: string | null;
            /** Chunk Id */
            chunk_id: string;
            /**
             * Collection
             * @description That of the passage.
             */
            collection: string;
            /** Grade */
            grade: number | null;
            /** Question */
            question: string;
            /** Trace Id */
            trace_id?: string | null;
        };
        /** LabelPage */
        LabelPage: {
            /** Items */
            items: components["schemas"]["Label"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** LabelledQuestion */
        LabelledQuestion: {
            /**
             * Authors
             * @description How many passages each author has judged.
             */
            authors: {
                [key: string]: number;
            };
            /** Collection */
            collection: string;
            /** Last At */
            last_at: string;
            /** Question */
            question: string;
            /** Question Id */
            question_id: string;
        };
        /** LabelledQuestionPage */
        LabelledQuestionPage: {
            /** Items */
            items: components["schemas"]["LabelledQuestion"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** Latency */
        Latency: {
            /** P50 */
            p50: number;
            /** P95 */
            p95: number;
        };
        /**
         * LedgerCycle
         * @description One reading of a cloud source, as `GET /api/sources/{id}/ledger` tells it. `complete`: `remote = indexed + skipped`.
         *
         *     `skipped` names the items of the newest cycle that came to its end, at most a hundred; `skipped_count` counts them all.
         */
        LedgerCycle: {
            /** Active S */
            active_s: number;
            /** Added */
            added: number;
            /** Complete */
            complete: boolean;
            /** Deleted */
            deleted: number;
            /** Embedded */
            embedded: number;
            /** Finished At */
            finished_at: string | null;
            /** Held */
            held: number;
            /** Id */
            id: string;
            /** Indexed */
            indexed: number;
            /**
             * Kind
             * @enum {string}
             */
            kind: "full" | "incremental" | "items";
            /** Notice */
            notice: string | null;
            /**
             * Phase
             * @enum {string}
             */
            phase: "listing" | "fetching" | "done" | "failed";
            /** Remote */
            remote: number;
            /** Requests */
            requests: number;
            /** Skipped */
            skipped: components["schemas"]["SkippedItem"][];
            /** Skipped Count */
            skipped_count: number;
            /** Started At */
            started_at: string;
            /** Throttled S */
            throttled_s: number;
            /** Unchanged */
            unchanged: number;
            /** Updated */
            updated: number;
        };
        /**
         * LedgerItem
         * @description One item of the remote side and what became of it. `title` is null unless the asking user's token may read it.
         */
        LedgerItem: {
            /** Container */
            container: string;
            /** Fetched At */
            fetched_at: string | null;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Message */
            message: string | null;
            /** Owner */
            owner: string | null;
            /** Reason */
            reason: string | null;
            /** Remote Updated At */
            remote_updated_at: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "pending" | "indexed" | "skipped" | "held";
            /** Title */
            title: string | null;
            /** Version */
            version: string | null;
        };
        /** LedgerPage */
        LedgerPage: {
            /** Items */
            items: components["schemas"]["LedgerItem"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** LenderBody */
        LenderBody: {
            /**
             * Lender
             * @description Tells lenders apart: an id that a window makes for itself.
             */
            lender: string;
        };
        /** LentAnswerBody */
        LentAnswerBody: {
            /**
             * Model
             * @description Which model it was.
             */
            model: string;
            /**
             * Text
             * @description All that the model said.
             */
            text: string;
        };
        /** LentFailureBody */
        LentFailureBody: {
            /** Message */
            message: string;
            /**
             * Refused
             * @description The model will not: another try can't help.
             * @default false
             */
            refused: boolean;
        };
        /** LentMessage */
        LentMessage: {
            /** @description Goes before the text. */
            picture: components["schemas"]["LentPicture"] | null;
            /**
             * Role
             * @enum {string}
             */
            role: "system" | "user" | "assistant";
            /** Text */
            text: string;
        };
        /** LentPicture */
        LentPicture: {
            /**
             * Data
             * @description Base64.
             */
            data: string;
            /** Mime */
            mime: string;
        };
        /** LentRequest */
        LentRequest: {
            /**
             * Asset Id
             * @description The picture that it is about.
             */
            asset_id: string;
            /** Lease Id */
            lease_id: string;
            /**
             * Lease S
             * @description Without a sign of life for so many seconds the request is given to another lender.
             */
            lease_s: number;
            /** Messages */
            messages: components["schemas"]["LentMessage"][];
            /**
             * Timeout S
             * @description How long the model may take.
             */
            timeout_s: number;
        };
        /** LentRequests */
        LentRequests: {
            /**
             * More
             * @description Whether pictures are being described: then come again within a second or two.
             */
            more: boolean;
            /** @description What is asked; the caller has it now, and nobody else. */
            request: components["schemas"]["LentRequest"] | null;
        };
        /**
         * LiveCounts
         * @description Passages of cloud sources, by what became of them.
         */
        LiveCounts: {
            /**
             * Checked
             * @description Admitted: they may be read by whoever asked.
             */
            checked: number;
            /**
             * Forbidden
             * @description Left out: the token may not read them, or was refused.
             */
            forbidden: number;
            /**
             * Gone
             * @description Left out: what they said is no longer there.
             */
            gone: number;
            /**
             * No Token
             * @description Left out: no token came for their source.
             */
            no_token: number;
            /**
             * Refreshed
             * @description Of those, taken from a version that is newer than the index.
             */
            refreshed: number;
            /**
             * Unverified
             * @description Left out: they could not be checked in time.
             */
            unverified: number;
        };
        /** LlmInfo */
        LlmInfo: {
            /** Model */
            model: string;
            /** Provider */
            provider: string;
        };
        /** MergedTableCell */
        MergedTableCell: {
            /**
             * Column
             * @description From 0, among the cells of the row.
             */
            column: number;
            /** Columns */
            columns: number;
            /**
             * Level
             * @description Of a header that was read from several rows: which of them, from 0.
             */
            level?: number | null;
            /**
             * Rows
             * @description How many rows it extends over: this one and those below.
             */
            rows: number;
            /**
             * Start
             * @description The character of the content at which its row begins.
             */
            start: number;
            /**
             * Text
             * @description What the cell of such a header says.
             */
            text?: string | null;
        };
        /** MergedTableCells */
        MergedTableCells: {
            /** Items */
            items: components["schemas"]["MergedTableCell"][];
        };
        /**
         * MetricSetAccount
         * @description Another tool whose metrics a run has, as `name:metric`, and what its judging cost.
         */
        MetricSetAccount: {
            /** Calls */
            calls: number;
            /** Input Tokens */
            input_tokens: number;
            /**
             * Metric Set Id
             * @description Hash of the tool, its release and the metrics.
             */
            metric_set_id: string;
            /** Metrics */
            metrics: string[];
            /**
             * Missing
             * @description Values that the tool did not give.
             */
            missing: number;
            /** Model */
            model: string;
            /** Name */
            name: string;
            /** Output Tokens */
            output_tokens: number;
            /** Provider */
            provider: string;
            /**
             * Stopped
             * @description Why not all was measured; empty when it was.
             */
            stopped: string;
            /** Version */
            version: string;
        };
        /** MissingPictures */
        MissingPictures: {
            /** Asset Ids */
            asset_ids: string[];
            /** Count */
            count: number;
        };
        /** ModelInfo */
        ModelInfo: {
            /** Device */
            device?: string | null;
            /** Dim */
            dim?: number | null;
            /** Id */
            id: string;
            /** Provider */
            provider: string;
            /** Revision */
            revision?: string | null;
        };
        /**
         * NumberedQuestion
         * @description A question as it is written in the file, and its place there, from 1.
         */
        NumberedQuestion: {
            /** Number */
            number: number;
            /** Question */
            question: {
                [key: string]: unknown;
            };
        };
        /**
         * OfferedMetricSet
         * @description Another tool's metrics. `missing` says why it can't be used, and is empty where it can; `command` installs it.
         */
        OfferedMetricSet: {
            /** Command */
            command: string;
            /** Metrics */
            metrics: components["schemas"]["SetMetric"][];
            /** Missing */
            missing: string;
            /** Name */
            name: string;
        };
        /** OutlineEntry */
        OutlineEntry: {
            /**
             * Level
             * @description 1 for the headings of the first level.
             */
            level: number;
            /** Title */
            title: string;
        };
        /** OutlinePage */
        OutlinePage: {
            /** Items */
            items: components["schemas"]["OutlinePlace"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** OutlinePlace */
        OutlinePlace: {
            /**
             * Bbox
             * @description Where the heading stands on its page.
             */
            bbox?: [
                number,
                number,
                number,
                number
            ] | null;
            /**
             * Level
             * @description 1 for the headings of the first level.
             */
            level: number;
            /** Page */
            page?: number | null;
            /** Sheet */
            sheet?: string | null;
            /** Slide */
            slide?: number | null;
            /**
             * Start
             * @description The character of the content at which the heading begins.
             */
            start: number;
            /** Title */
            title: string;
        };
        /** PageContent */
        PageContent: {
            /** Page */
            page: number;
            /**
             * Text
             * @description As it was printed: no Markdown.
             */
            text: string;
        };
        /** PageContentPage */
        PageContentPage: {
            /** Items */
            items: components["schemas"]["PageContent"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** PageLine */
        PageLine: {
            /**
             * Paragraph
             * @description Whether it begins a paragraph.
             */
            paragraph: boolean;
            /**
             * Words
             * @description One for the whole line where text was recognised in a scan.
             */
            words: components["schemas"]["PageWord"][];
        };
        /** PageParagraph */
        PageParagraph: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "text" | "heading" | "table" | "code";
            /**
             * Text
             * @description The lines of a paragraph are joined; items of a list and labels stay lines, as do rows (tabs between cells).
             */
            text: string;
        };
        /** PageText */
        PageText: {
            /**
             * Lines
             * @description As they are printed, in reading order.
             */
            lines: components["schemas"]["PageLine"][];
            /** Page */
            page: number;
            /**
             * Paragraphs
             * @description What was read on the page, as it is read.
             */
            paragraphs: components["schemas"]["PageParagraph"][];
            /**
             * Recognised
             * @description The page is a scan, and this was recognised on it.
             */
            recognised: boolean;
        };
        /** PageWord */
        PageWord: {
            /**
             * Bbox
             * @description Left, top, right, bottom as fractions (0..1) of the page as shown.
             */
            bbox: [
                number,
                number,
                number,
                number
            ] | null;
            /** Text */
            text: string;
        };
        /** Page[ComparedQuestion] */
        Page_ComparedQuestion_: {
            /** Items */
            items: components["schemas"]["ComparedQuestion"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** Page[NumberedQuestion] */
        Page_NumberedQuestion_: {
            /** Items */
            items: components["schemas"]["NumberedQuestion"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * PictureDescription
         * @description What a captioner says of a picture: no words of the document.
         */
        PictureDescription: {
            /**
             * Certainty
             * @description How sure the type is, 0..1; 0 where nobody says.
             */
            certainty: number;
            /**
             * Cost
             * @description By the prices of the settings.
             */
            cost: number;
            /** Created At */
            created_at: string;
            /**
             * Details
             * @description Further fields, by profile.
             */
            details: {
                [key: string]: unknown;
            };
            /** Entities */
            entities: string[];
            /**
             * Error
             * @description Why it could not be described; the other fields are empty then.
             */
            error: string | null;
            /**
             * Image Type
             * @enum {string}
             */
            image_type: "table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown";
            /** Input Tokens */
            input_tokens: number;
            /** Key Points */
            key_points: string[];
            /** Low Quality */
            low_quality: boolean;
            /** Mermaid */
            mermaid: string;
            /** Model */
            model: string;
            /** Numbers */
            numbers: components["schemas"]["ReadNumber"][];
            /** Output Tokens */
            output_tokens: number;
            /**
             * Profile
             * @enum {string}
             */
            profile: "caption.generic_v1" | "caption.table_v1" | "caption.chart_v1" | "caption.flow_v1" | "caption.screenshot_v1" | "caption.photo_v1";
            /** Prompt Id */
            prompt_id: string;
            /** Provider */
            provider: string;
            /**
             * Same As
             * @description The picture of which this was said: this one shows the same, saved again or in another size. Empty: itself.
             */
            same_as: string;
            /** Series */
            series: components["schemas"]["ChartSeries"][];
            /** Summary */
            summary: string;
            /**
             * Table
             * @description Its cells, the headings first; `GET /api/assets/{id}/table` gives them as CSV.
             */
            table: string[][];
            /** Title */
            title: string;
            /** Uncertainties */
            uncertainties: string[];
            /**
             * Unseen Numbers
             * @description Numbers that were said and not read in the picture; they are among the uncertainties.
             */
            unseen_numbers: number;
        };
        /** PlacedChunk */
        PlacedChunk: {
            /**
             * Anchor
             * @description Put behind `source_uri`, it opens a web page at this place.
             */
            anchor?: string | null;
            /** Bbox */
            bbox?: [
                number,
                number,
                number,
                number
            ] | null;
            /** Cell Range */
            cell_range?: string | null;
            /** Chunk Id */
            chunk_id: string;
            /** Line Range */
            line_range?: [
                number,
                number
            ] | null;
            /** Page */
            page?: number | null;
            /** Section Path */
            section_path: string[];
            /** Sheet */
            sheet?: string | null;
            /** Slide */
            slide?: number | null;
        };
        /** Position */
        Position: {
            /** Rank */
            rank: number;
            /** Score */
            score: number | null;
        };
        /**
         * PreferBody
         * @description Soft preferences: they move passages up and never drop one.
         */
        PreferBody: {
            /**
             * Has Image
             * @default null
             */
            has_image: boolean | null;
            /**
             * Recent
             * @default null
             */
            recent: boolean | null;
            /**
             * Source
             * @description Sources, or beginnings of them.
             * @default null
             */
            source: string | string[] | null;
        };
        /** Problem */
        Problem: {
            /** Code */
            code: string;
            /** Field */
            field: string;
            /** Message */
            message: string;
        };
        /** Progress */
        Progress: {
            /** Done */
            done: number;
            /** Stage */
            stage: string;
            /** Total */
            total: number;
        };
        /**
         * PromptAnswer
         * @description What `/api/query` answers, and the messages for the model, by the rules of `config/prompts/answer.md`.
         *
         *     Without messages there is nothing to answer from: neither are passages found nor is anything attached. `not_found` is the
         *     answer then, and the phrase that the model is to say when the passages do not hold the answer.
         */
        PromptAnswer: {
            /**
             * Attachments
             * @description How much of each attachment is in them.
             */
            attachments: ("whole" | "beginning" | "none")[];
            /** Citations */
            citations: components["schemas"]["Citation"][];
            /**
             * Confidence
             * @description 0..1: how sure it is that the best passages answer the question.
             */
            confidence: number;
            /** Context */
            context: string;
            effective: components["schemas"]["Effective"];
            /**
             * Explanation
             * @description Why these passages, one entry each; with `explain` only.
             */
            explanation?: components["schemas"]["Explained"][] | null;
            /**
             * Found
             * @description Whether that is enough for an answer: `answer.min_confidence` is reached.
             */
            found: boolean;
            /**
             * Given
             * @description Numbers of the citations that are in the messages; the others had no room.
             */
            given: number[];
            /** Latency Ms */
            latency_ms: number;
            /** Messages */
            messages: components["schemas"]["PromptMessage"][];
            /** Not Found */
            not_found: string;
            /** @description What was seen in the picture that was asked with. */
            picture?: components["schemas"]["AskedPicture"] | null;
            /**
             * Plan
             * @description How the question was understood; with `explain` only.
             */
            plan?: {
                [key: string]: unknown;
            } | null;
            /** Query */
            query: string;
            /** Results */
            results: components["schemas"]["Result"][];
            /** Timings Ms */
            timings_ms: {
                [key: string]: number;
            };
            /**
             * Tokens
             * @description Tokens of all messages, by the daemon's estimate.
             */
            tokens: number;
            /** Trace Id */
            trace_id: string;
            /**
             * Turns Left Out
             * @description Earlier turns for which there was no room.
             */
            turns_left_out: number;
            /** Warnings */
            warnings: string[];
        };
        /**
         * PromptBody
         * @description A question to be answered by a model of the client; its history goes to the model, too.
         */
        PromptBody: {
            /** Attachments */
            attachments?: components["schemas"]["AttachmentBody"][];
            /**
             * Collection
             * @description One, or several; without it every enabled collection is searched.
             */
            collection?: string | string[] | null;
            /**
             * Evaluation
             * @description The evaluation run that asks; the trace links to it.
             */
            evaluation?: string | null;
            /**
             * Explain
             * @description Whether the answer tells how the question was understood.
             * @default false
             */
            explain: boolean;
            /**
             * FiltersBody
             * @description Hard filters; what is not named does not filter.
             */
            filters?: {
                among?: {
                    /**
                     * Collection
                     * @description Names of collections.
                     */
                    collection?: string | string[] | null;
                    /** Doc Id */
                    doc_id?: string | string[] | null;
                    /**
                     * Path Prefix
                     * @description Beginnings of paths, as shown or absolute.
                     */
                    path_prefix?: string | string[] | null;
                    /**
                     * Source Id
                     * @description Sources, by id: followed folders, spaces, projects.
                     */
                    source_id?: string | string[] | null;
                } | null;
                /** Doc Id */
                doc_id?: string | string[] | null;
                /**
                 * Doc Type
                 * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
                 */
                doc_type?: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
                /**
                 * Has Image
                 * @description Only passages that show a picture, or only those that show none.
                 */
                has_image?: boolean | null;
                /**
                 * Image Type
                 * @description Only passages with a picture that its description takes for one of these.
                 */
                image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
                /**
                 * Language
                 * @description en, ja or zh.
                 */
                language?: string | string[] | null;
                /** Path Prefix */
                path_prefix?: string | null;
                /**
                 * Section
                 * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
                 */
                section?: string | string[] | null;
                /**
                 * Section Prefix
                 * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
                 */
                section_prefix?: string | string[] | null;
                /** Source */
                source?: string | string[] | null;
                /**
                 * Tags
                 * @description A document without any tags is not shut out.
                 */
                tags?: string | string[] | null;
                /**
                 * Updated After
                 * @description ISO 8601
                 */
                updated_after?: string | null;
                /**
                 * Updated Before
                 * @description ISO 8601
                 */
                updated_before?: string | null;
                /**
                 * Version Id
                 * @description Only live versions can be searched; another one is an error.
                 */
                version_id?: string | string[] | null;
            };
            /**
             * History
             * @description The turns before the question, oldest first; they make a follow-up self-contained.
             */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** Max Context Tokens */
            max_context_tokens?: number | null;
            /**
             * Max Tokens
             * @description Tokens of all messages together, by the daemon's estimate, which counts rather too many; without it what `llm.context_tokens` and `llm.max_output_tokens` leave.
             */
            max_tokens?: number | null;
            /**
             * PreferBody
             * @description Soft preferences: they move passages up and never drop one.
             */
            prefer?: {
                /** Has Image */
                has_image?: boolean | null;
                /** Recent */
                recent?: boolean | null;
                /**
                 * Source
                 * @description Sources, or beginnings of them.
                 */
                source?: string | string[] | null;
            };
            /** Query */
            query: string;
            /** Rerank */
            rerank?: boolean | null;
            /**
             * Strategy
             * @description hybrid, dense_only, sparse_only, or a named strategy.
             */
            strategy?: string | null;
            /** Top K */
            top_k?: number | null;
        };
        /** PromptMessage */
        PromptMessage: {
            /**
             * Role
             * @enum {string}
             */
            role: "system" | "user" | "assistant";
            /** Text */
            text: string;
        };
        /** QueryAnswer */
        QueryAnswer: {
            /** Citations */
            citations: components["schemas"]["Citation"][];
            /**
             * Confidence
             * @description 0..1: how sure it is that the best passages answer the question.
             */
            confidence: number;
            /** Context */
            context: string;
            effective: components["schemas"]["Effective"];
            /**
             * Explanation
             * @description Why these passages, one entry each; with `explain` only.
             */
            explanation?: components["schemas"]["Explained"][] | null;
            /**
             * Found
             * @description Whether that is enough for an answer: `answer.min_confidence` is reached.
             */
            found: boolean;
            /** Latency Ms */
            latency_ms: number;
            /** @description What was seen in the picture that was asked with. */
            picture?: components["schemas"]["AskedPicture"] | null;
            /**
             * Plan
             * @description How the question was understood; with `explain` only.
             */
            plan?: {
                [key: string]: unknown;
            } | null;
            /** Query */
            query: string;
            /** Results */
            results: components["schemas"]["Result"][];
            /** Timings Ms */
            timings_ms: {
                [key: string]: number;
            };
            /** Trace Id */
            trace_id: string;
            /** Warnings */
            warnings: string[];
        };
        /**
         * QuestionBody
         * @description A question in words, by a picture, or both.
         */
        QuestionBody: {
            /**
             * Collection
             * @description One, or several; without it every enabled collection is searched.
             */
            collection?: string | string[] | null;
            /**
             * Evaluation
             * @description The evaluation run that asks; the trace links to it.
             */
            evaluation?: string | null;
            /**
             * Explain
             * @description Whether the answer tells how the question was understood.
             * @default false
             */
            explain: boolean;
            /**
             * FiltersBody
             * @description Hard filters; what is not named does not filter.
             */
            filters?: {
                among?: {
                    /**
                     * Collection
                     * @description Names of collections.
                     */
                    collection?: string | string[] | null;
                    /** Doc Id */
                    doc_id?: string | string[] | null;
                    /**
                     * Path Prefix
                     * @description Beginnings of paths, as shown or absolute.
                     */
                    path_prefix?: string | string[] | null;
                    /**
                     * Source Id
                     * @description Sources, by id: followed folders, spaces, projects.
                     */
                    source_id?: string | string[] | null;
                } | null;
                /** Doc Id */
                doc_id?: string | string[] | null;
                /**
                 * Doc Type
                 * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
                 */
                doc_type?: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
                /**
                 * Has Image
                 * @description Only passages that show a picture, or only those that show none.
                 */
                has_image?: boolean | null;
                /**
                 * Image Type
                 * @description Only passages with a picture that its description takes for one of these.
                 */
                image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
                /**
                 * Language
                 * @description en, ja or zh.
                 */
                language?: string | string[] | null;
                /** Path Prefix */
                path_prefix?: string | null;
                /**
                 * Section
                 * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
                 */
                section?: string | string[] | null;
                /**
                 * Section Prefix
                 * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
                 */
                section_prefix?: string | string[] | null;
                /** Source */
                source?: string | string[] | null;
                /**
                 * Tags
                 * @description A document without any tags is not shut out.
                 */
                tags?: string | string[] | null;
                /**
                 * Updated After
                 * @description ISO 8601
                 */
                updated_after?: string | null;
                /**
                 * Updated Before
                 * @description ISO 8601
                 */
                updated_before?: string | null;
                /**
                 * Version Id
                 * @description Only live versions can be searched; another one is an error.
                 */
                version_id?: string | string[] | null;
            };
            /**
             * History
             * @description The turns before the question, oldest first; they make a follow-up self-contained.
             */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** @description Its words, what rules say of it, and where it is shown already, in whatever size: such passages come first. */
            image?: components["schemas"]["ImageBody"] | null;
            /** Max Context Tokens */
            max_context_tokens?: number | null;
            /**
             * PreferBody
             * @description Soft preferences: they move passages up and never drop one.
             */
            prefer?: {
                /** Has Image */
                has_image?: boolean | null;
                /** Recent */
                recent?: boolean | null;
                /**
                 * Source
                 * @description Sources, or beginnings of them.
                 */
                source?: string | string[] | null;
            };
            /**
             * Query
             * @description May be empty beside a picture.
             */
            query: string;
            /** Rerank */
            rerank?: boolean | null;
            /**
             * Strategy
             * @description hybrid, dense_only, sparse_only, or a named strategy.
             */
            strategy?: string | null;
            /** Top K */
            top_k?: number | null;
        };
        /**
         * QuestionChange
         * @description One change to the version whose digest is `base`: exactly one of `put`, `remove`, `restore` and `take_labels`.
         */
        QuestionChange: {
            /** Base */
            base: string;
            /**
             * Put
             * @description A question as a file has it. In `relevant`, a `chunk_id` stands for the place of a passage.
             */
            put?: {
                [key: string]: unknown;
            } | null;
            /**
             * Remove
             * @description The id of a question that is left out from now on.
             */
            remove?: string | null;
            /**
             * Replaces
             * @description The id of the question that is put in its place; none adds one.
             */
            replaces?: string | null;
            /**
             * Restore
             * @description An older version, which counts again.
             */
            restore?: string | null;
            /**
             * Take Labels
             * @description Give the questions that wait for labels the passages that people have labelled by now.
             */
            take_labels?: true | null;
        };
        /** QuestionRow */
        QuestionRow: {
            /** Found */
            found: components["schemas"]["FoundPassage"][];
            /** Groups */
            groups: {
                [key: string]: string;
            };
            /** Id */
            id: string;
            /** Latency Ms */
            latency_ms: number;
            /** Metrics */
            metrics: {
                [key: string]: number;
            };
            /** Query */
            query: string;
            /** Relevant */
            relevant: components["schemas"]["RelevantPlace"][];
            /** Results */
            results: number;
            /** Trace Id */
            trace_id: string;
        };
        /** ReadDocument */
        ReadDocument: {
            /** Doc Id */
            doc_id: string;
            /** Source */
            source: string;
        };
        /** ReadLine */
        ReadLine: {
            /**
             * Bbox
             * @description Left, top, right, bottom as fractions (0..1) of the picture.
             */
            bbox: [
                number,
                number,
                number,
                number
            ];
            /**
             * Score
             * @description How sure text recognition is, 0..1.
             */
            score: number;
            /** Text */
            text: string;
        };
        /** ReadNumber */
        ReadNumber: {
            /**
             * Context
             * @description Where it is read: in the legend, at an axis, in a cell.
             */
            context: string;
            /** Name */
            name: string;
            /** Unit */
            unit: string;
            /** Value */
            value: string;
        };
        /** Reason */
        Reason: {
            /**
             * Code
             * @description A document's state, `filtered`, `collection_not_asked` …, or an `end` of a passage.
             */
            code: string;
            /** Values */
            values: {
                [key: string]: unknown;
            };
        };
        /** ReindexBody */
        ReindexBody: {
            /** Collection */
            collection?: string | null;
        };
        /** RelevantPlace */
        RelevantPlace: {
            /** Grade */
            grade: number;
            /** Place */
            place: {
                [key: string]: string | number | number[];
            };
            /**
             * Rank
             * @description Where it came in the ranking, from 1; null when it was not found.
             */
            rank: number | null;
            /** Source */
            source: string;
        };
        /**
         * RelevantTo
         * @description A document, and the place in it that was shown, written as in a dataset of `rag eval`.
         */
        RelevantTo: {
            /** Place */
            place: {
                [key: string]: string | number | number[];
            };
            /** Source */
            source: string;
        };
        /** Replay */
        Replay: {
            /**
             * Candidates
             * @description Of a query. Those of today's context first.
             */
            candidates?: components["schemas"]["ReplayedCandidate"][] | null;
            /** @description Of an ingestion. */
            chunks?: components["schemas"]["ReplayedChunks"] | null;
            /**
             * Confidence
             * @description Of a query. before, after.
             */
            confidence?: {
                [key: string]: number | null;
            } | null;
            /**
             * Document
             * @description Of an ingestion.
             */
            document?: {
                [key: string]: unknown;
            } | null;
            /**
             * Documents
             * @description Of a query. Those of the candidates.
             */
            documents?: components["schemas"]["ReplayedDocument"][] | null;
            /**
             * Failed
             * @description Of an ingestion. Errors before and after; null for none.
             */
            failed?: {
                [key: string]: unknown;
            } | null;
            /**
             * Lists
             * @description Of a query. In the order of the stages.
             */
            lists?: components["schemas"]["ComparedList"][] | null;
            /**
             * Notes
             * @description What can't be compared, and why.
             */
            notes: string[];
            /**
             * Plan
             * @description Of a query. How it was understood otherwise.
             */
            plan?: components["schemas"]["Changed"][] | null;
            /**
             * Providers
             * @description By stage: type, id and profile.
             */
            providers?: components["schemas"]["Changed"][] | null;
            /**
             * Query
             * @description Of a query. The question as it was searched.
             */
            query?: string | null;
            /** Recorded At */
            recorded_at: string;
            /**
             * Replay
             * @description Of a query. The trace that the replay left.
             */
            replay?: string | null;
            /**
             * Request
             * @description Of a query.
             */
            request?: components["schemas"]["Changed"][] | null;
            /** Same */
            same: boolean;
            /**
             * Settings
             * @description Of a query. Null is the default.
             */
            settings?: components["schemas"]["Changed"][] | null;
            /** @description Of a query. */
            since?: components["schemas"]["Since"] | null;
            /**
             * Times
             * @description Milliseconds by stage; `total` is the last.
             */
            times?: components["schemas"]["Changed"][] | null;
            /** Trace Id */
            trace_id: string;
            /**
             * Trace Type
             * @enum {string}
             */
            trace_type: "query" | "ingestion";
            /**
             * Values
             * @description Of an ingestion. What the stages counted otherwise.
             */
            values?: components["schemas"]["Changed"][] | null;
            /**
             * Warnings
             * @description Of a query. As a query has them.
             */
            warnings?: string[] | null;
        };
        /**
         * ReplayBody
         * @description What is to be otherwise than it was; an ingestion is repeated without any.
         */
        ReplayBody: {
            /**
             * Query
             * @description The question as it was asked, where the trace does not hold it.
             */
            query?: string | null;
            /**
             * Settings
             * @description Values by dotted name, such as rerank.top_n: of retrieval, rerank, and answer.min_confidence.
             * @default {}
             */
            settings: {
                [key: string]: unknown;
            };
            /**
             * Strategy
             * @description As for a query, instead of the one that was asked for.
             */
            strategy?: string | null;
        };
        /** ReplayedCandidate */
        ReplayedCandidate: {
            /** After */
            after: {
                [key: string]: components["schemas"]["Position"];
            };
            /** Before */
            before: {
                [key: string]: components["schemas"]["Position"];
            };
            /** Chunk Id */
            chunk_id: string;
            /** @description Where whoever asks may see it, and it is there. */
            document: components["schemas"]["CandidateDocument"] | null;
            /**
             * Live
             * @description Whether the passage is there to be found now.
             */
            live: boolean;
        };
        /** ReplayedChunks */
        ReplayedChunks: {
            /** After */
            after: number;
            /** Before */
            before: number | null;
            /** Gone */
            gone?: components["schemas"]["PlacedChunk"][] | null;
            /** Kept */
            kept?: number | null;
            /**
             * Named
             * @description Whether the stored chunks are those of the trace, so that it can be said which differ.
             */
            named: boolean;
            /** New */
            new?: components["schemas"]["PlacedChunk"][] | null;
        };
        /** ReplayedDocument */
        ReplayedDocument: {
            /** Doc Id */
            doc_id: string;
            /** Source */
            source: string;
            /**
             * State
             * @enum {string}
             */
            state: "same" | "new" | "changed" | "gone";
        };
        /** RerankerInfo */
        RerankerInfo: {
            /**
             * Device
             * @description Of a reranker that runs a model here.
             */
            device?: string | null;
            /**
             * Name
             * @description What the setting came to, once it is open.
             */
            name?: string | null;
            /** Profile */
            profile?: string | null;
            /** Provider */
            provider: string;
        };
        /** Result */
        Result: {
            /**
             * Anchor
             * @description Put behind `source_uri`, it opens a web page at this place.
             */
            anchor?: string | null;
            /**
             * As Of
             * @description The day on which this text was fetched, when it was not held against what is there now.
             */
            as_of?: string | null;
            /** Bbox */
            bbox?: [
                number,
                number,
                number,
                number
            ] | null;
            /** Cell Range */
            cell_range?: string | null;
            /** Chunk Id */
            chunk_id: string;
            /** Collection */
            collection: string;
            /** Content */
            content: string;
            /** Doc Id */
            doc_id: string;
            /**
             * Doc Type
             * @enum {string}
             */
            doc_type: "pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira";
            /** Images */
            images: components["schemas"]["Image"][];
            /** Line Range */
            line_range?: [
                number,
                number
            ] | null;
            /**
             * Live Version
             * @description The version that this text was taken from, when that is newer than the index.
             */
            live_version?: string | null;
            /**
             * Mermaid
             * @description Drawings of the passage's diagrams, in Mermaid: derived from them, not the document's words.
             */
            mermaid?: string[] | null;
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Page */
            page?: number | null;
            /** Score */
            score: number;
            scores: components["schemas"]["Scores"];
            /** Section Path */
            section_path: string[];
            /** Sheet */
            sheet?: string | null;
            /** Slide */
            slide?: number | null;
            /** Source */
            source: string;
            /** Source Uri */
            source_uri: string;
            /** Title */
            title: string;
            /** Version Id */
            version_id: string;
        };
        /** RetryBody */
        RetryBody: {
            /**
             * Items
             * @description Ids of items that were left out; null: all of them.
             */
            items?: string[] | null;
        };
        /**
         * RunBody
         * @description A run for each strategy; `default` stands for the settings as they are.
         */
        RunBody: {
            /**
             * Collection
             * @description Asked where a question names none; all without it.
             */
            collection?: string | null;
            /**
             * Dataset
             * @description One of `GET /api/evaluations/choices`.
             */
            dataset: string;
            /**
             * Judge
             * @description Have a language model judge passages and answers.
             * @default false
             */
            judge: boolean;
            /**
             * Judge Calls
             * @description How often the judging model may be asked, in all.
             * @default 5000
             */
            judge_calls: number;
            /**
             * Judge Strategy
             * @description Whose `llm.*` judges.
             * @default default
             */
            judge_strategy: string;
            /**
             * Limit
             * @description Ask only the first questions.
             */
            limit?: number | null;
            /**
             * Metrics
             * @description `SET:METRIC` of other tools, judged by that model.
             * @default []
             */
            metrics: string[];
            /**
             * Mode
             * @default retrieval_only
             * @enum {string}
             */
            mode: "retrieval_only" | "generation_only" | "end_to_end";
            /**
             * Name
             * @default
             */
            name: string;
            /**
             * Rerank
             * @default true
             */
            rerank: boolean;
            /**
             * Strategies
             * @default [
             *       "default"
             *     ]
             */
            strategies: string[];
            /**
             * Top K
             * @description Passages of each (else 20; answers: `retrieval.top_k`).
             */
            top_k?: number | null;
        };
        /**
         * SampleBody
         * @description A dataset to be made of questions that people asked, each once, drawn from the traces by a `seed`; it waits for labels.
         *
         *     Days are of UTC, and both are included. `which`: those for which nothing was found, that took a second or more, that were
         *     worked without something, that failed, or with feedback, a thumb up or down.
         */
        SampleBody: {
            /**
             * Collection
             * @description Only what was asked of it, alone or with others.
             */
            collection?: string | null;
            /**
             * Consent
             * @description That those who asked agree: what they wrote is kept until the dataset is deleted.
             * @constant
             */
            consent: true;
            /**
             * Count
             * @description Questions at most.
             * @default 50
             */
            count: number;
            /** Name */
            name: string;
            /**
             * Seed
             * @default 1
             */
            seed: number;
            /** Since */
            since?: string | null;
            /** Until */
            until?: string | null;
            /**
             * Which
             * @default all
             * @enum {string}
             */
            which: "all" | "nothing_found" | "slow" | "degraded" | "failed" | "feedback" | "up" | "down";
        };
        /** SavedStrategy */
        SavedStrategy: {
            /** Name */
            name: string;
            /** Path */
            path: string;
        };
        /** Scores */
        Scores: {
            /** Dense */
            dense?: number | null;
            /** Fused */
            fused?: number | null;
            /** Rerank */
            rerank?: number | null;
            /** Sparse */
            sparse?: number | null;
        };
        /** Section */
        Section: {
            /** End */
            end: number;
            /** Section Hash */
            section_hash: string;
            /** Section Id */
            section_id: string;
            /** Section Path */
            section_path: string[];
            /** Start */
            start: number;
        };
        /** SectionPage */
        SectionPage: {
            /** Items */
            items: components["schemas"]["Section"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * SetMetric
         * @description A metric of another tool, and what it needs of a case besides the question.
         */
        SetMetric: {
            /** Name */
            name: string;
            /** Needs */
            needs: ("answer" | "passages" | "reference")[];
        };
        /**
         * Setting
         * @description A setting that one question may change.
         */
        Setting: {
            /** Default */
            default: unknown;
            /** Name */
            name: string;
            /**
             * Rule
             * @description JSON Schema of its values.
             */
            rule: {
                [key: string]: unknown;
            };
            /**
             * Value
             * @description As the settings have it.
             */
            value: unknown;
        };
        /** SettingList */
        SettingList: {
            /** Items */
            items: components["schemas"]["Setting"][];
        };
        /** SheetRow */
        SheetRow: {
            /**
             * Bottom
             * @description The row itself; `top` is another where a header is said with it.
             */
            bottom: number;
            /**
             * Left
             * @description The first column of its table, as `A`.
             */
            left: string;
            /** Right */
            right: string;
            /**
             * Start
             * @description The character of the content at which its text begins, with that of a header above it.
             */
            start: number;
            /** Top */
            top: number;
        };
        /** SheetRows */
        SheetRows: {
            /** Items */
            items: components["schemas"]["SheetRow"][];
        };
        /** ShowingDocument */
        ShowingDocument: {
            /** Id */
            id: string;
            /** Source */
            source: string;
            /** Title */
            title: string;
        };
        /**
         * ShowingPassage
         * @description A passage beside which a picture stands.
         */
        ShowingPassage: {
            /** Chunk Id */
            chunk_id: string;
            /**
             * Content
             * @description The first words of it.
             */
            content: string;
            /** Doc Id */
            doc_id: string;
            /** Page */
            page?: number | null;
            /** Section Path */
            section_path: string[];
            /** Slide */
            slide?: number | null;
        };
        /**
         * Since
         * @description Documents of the collections that were searched, by what became of them since the trace.
         */
        Since: {
            /** Changed */
            changed: number;
            /** Gone */
            gone: number;
            /** New */
            new: number;
        };
        /**
         * SkippedItem
         * @description An item that was left out, and why. `title` is null unless the asking user's token may read it.
         */
        SkippedItem: {
            /** Id */
            id: string;
            /** Message */
            message: string | null;
            /** Reason */
            reason: string | null;
            /** Title */
            title: string | null;
        };
        /** SlideBlock */
        SlideBlock: {
            /**
             * Bbox
             * @description Left, top, right, bottom as fractions of the slide; they may reach beyond it.
             */
            bbox: [
                number,
                number,
                number,
                number
            ];
            /**
             * End
             * @description Behind the last character of the content that is part of it.
             */
            end: number;
            /** Start */
            start: number;
        };
        /** SlidePlaces */
        SlidePlaces: {
            /** Blocks */
            blocks: components["schemas"]["SlideBlock"][];
            /**
             * Ratio
             * @description Its width by its height.
             */
            ratio: number;
            /** Slide */
            slide: number;
        };
        /** SlidePlacesPage */
        SlidePlacesPage: {
            /** Items */
            items: components["schemas"]["SlidePlaces"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** Source */
        Source: {
            /** Collection */
            collection: string;
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Created At */
            created_at: string;
            /** Document Count */
            document_count: number;
            /**
             * Due At
             * @description When it is read next by itself.
             */
            due_at: string | null;
            /** Enabled */
            enabled: boolean;
            /** Followed */
            followed: boolean;
            /** Id */
            id: string;
            /** Job Id */
            job_id: string | null;
            /** Last Error */
            last_error: string | null;
            /** Last Finished At */
            last_finished_at: string | null;
            last_result: components["schemas"]["SourceResult"] | null;
            /** Last Started At */
            last_started_at: string | null;
            /**
             * Live
             * @enum {string}
             */
            live: "live" | "cached" | "off";
            /** Name */
            name: string;
            /** Notice */
            notice: string | null;
            /** Polling */
            polling: boolean;
            /** Public */
            public: boolean;
            /** Schedule */
            schedule: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "idle" | "syncing" | "watching" | "error";
            /** Type */
            type: string;
            /** Updated At */
            updated_at: string;
            /**
             * Waits For Token
             * @description Its token comes with each request, so whoever keeps it has to ask for its reading.
             */
            waits_for_token: boolean;
        };
        /** SourceChange */
        SourceChange: {
            /**
             * Config
             * @description Only what is to change.
             */
            config?: {
                /**
                 * Exclude
                 * @description No file or folder that matches one of these.
                 * @default []
                 */
                exclude: string[];
                /**
                 * Gitignore
                 * @description Leave out what `.gitignore` files name.
                 * @default true
                 */
                gitignore: boolean;
                /**
                 * Include
                 * @description Only files that match one of these.
                 * @default []
                 */
                include: string[];
                /**
                 * Path
                 * @description Absolute path of the folder.
                 */
                path?: string;
                /**
                 * Poll
                 * @description Find changes by looking; null: on network drives only.
                 */
                poll?: boolean | null;
                /**
                 * Watch
                 * @description Follow changes while the daemon runs.
                 * @default true
                 */
                watch: boolean;
            } | {
                /**
                 * Attachments
                 * @default true
                 */
                attachments: boolean;
                /**
                 * Auth
                 * @description Who a source is read as.
                 */
                auth?: {
                    /**
                     * Email
                     * @description Of the account; `api_token` needs it.
                     */
                    email?: string | null;
                    /**
                     * Kind
                     * @enum {string}
                     */
                    kind: "api_token" | "pat" | "oauth";
                    /**
                     * Token
                     * @description Where the token is: `env:NAME`, `file:PATH`, `keyring:NAME`; or `request`: each request brings it.
                     */
                    token: string;
                };
                /**
                 * Base Url
                 * @description Such as `https://example.atlassian.net/wiki`; may carry a context path.
                 */
                base_url?: string;
                /**
                 * Comments
                 * @default true
                 */
                comments: boolean;
                /**
                 * Cql
                 * @description Confluence: a further filter.
                 * @default
                 */
                cql: string;
                /**
                 * Custom Fields
                 * @description Jira: names or ids of further fields.
                 * @default []
                 */
                custom_fields: string[];
                /**
                 * Deployment
                 * @description Else by the address.
                 */
                deployment?: ("cloud" | "data_center") | null;
                /**
                 * Exclude
                 * @description No item whose path matches one of these.
                 * @default []
                 */
                exclude: string[];
                /**
                 * Include
                 * @description Only items whose path matches one of these.
                 * @default []
                 */
                include: string[];
                /**
                 * Jql
                 * @description Jira: a further filter.
                 * @default
                 */
                jql: string;
                /**
                 * Projects
                 * @description Jira: keys of projects; empty: all.
                 * @default []
                 */
                projects: string[];
                /**
                 * Spaces
                 * @description Confluence: keys of spaces; empty: all.
                 * @default []
                 */
                spaces: string[];
            } | null;
            /** Enabled */
            enabled?: boolean | null;
            /**
             * Live
             * @description Cloud sources: what is asked at a hit; null: as the settings say (`live.mode`).
             */
            live?: ("live" | "cached" | "off") | null;
            /** Name */
            name?: string | null;
            /**
             * Public
             * @description Cloud sources: whoever may ask this daemon may read what the source's own account reads.
             */
            public?: boolean | null;
            /**
             * Schedule
             * @description Cloud sources: `every 30m`, a cron line, or `off`; null: as the settings say (`sync.schedule`).
             */
            schedule?: string | null;
        };
        /** SourceCreate */
        SourceCreate: {
            /** Collection */
            collection?: string | null;
            /** Config */
            config: {
                /**
                 * Exclude
                 * @description No file or folder that matches one of these.
                 * @default []
                 */
                exclude: string[];
                /**
                 * Gitignore
                 * @description Leave out what `.gitignore` files name.
                 * @default true
                 */
                gitignore: boolean;
                /**
                 * Include
                 * @description Only files that match one of these.
                 * @default []
                 */
                include: string[];
                /**
                 * Path
                 * @description Absolute path of the folder.
                 */
                path: string;
                /**
                 * Poll
                 * @description Find changes by looking; null: on network drives only.
                 */
                poll?: boolean | null;
                /**
                 * Watch
                 * @description Follow changes while the daemon runs.
                 * @default true
                 */
                watch: boolean;
            } | {
                /**
                 * Attachments
                 * @default true
                 */
                attachments: boolean;
                /**
                 * Auth
                 * @description Who a source is read as.
                 */
                auth: {
                    /**
                     * Email
                     * @description Of the account; `api_token` needs it.
                     */
                    email?: string | null;
                    /**
                     * Kind
                     * @enum {string}
                     */
                    kind: "api_token" | "pat" | "oauth";
                    /**
                     * Token
                     * @description Where the token is: `env:NAME`, `file:PATH`, `keyring:NAME`; or `request`: each request brings it.
                     */
                    token: string;
                };
                /**
                 * Base Url
                 * @description Such as `https://example.atlassian.net/wiki`; may carry a context path.
                 */
                base_url: string;
                /**
                 * Comments
                 * @default true
                 */
                comments: boolean;
                /**
                 * Cql
                 * @description Confluence: a further filter.
                 * @default
                 */
                cql: string;
                /**
                 * Custom Fields
                 * @description Jira: names or ids of further fields.
                 * @default []
                 */
                custom_fields: string[];
                /**
                 * Deployment
                 * @description Else by the address.
                 */
                deployment?: ("cloud" | "data_center") | null;
                /**
                 * Exclude
                 * @description No item whose path matches one of these.
                 * @default []
                 */
                exclude: string[];
                /**
                 * Include
                 * @description Only items whose path matches one of these.
                 * @default []
                 */
                include: string[];
                /**
                 * Jql
                 * @description Jira: a further filter.
                 * @default
                 */
                jql: string;
                /**
                 * Projects
                 * @description Jira: keys of projects; empty: all.
                 * @default []
                 */
                projects: string[];
                /**
                 * Spaces
                 * @description Confluence: keys of spaces; empty: all.
                 * @default []
                 */
                spaces: string[];
            };
            /**
             * Live
             * @description Cloud sources: what is asked at a hit; null: as the settings say (`live.mode`).
             */
            live?: ("live" | "cached" | "off") | null;
            /**
             * Name
             * @description Else the folder's or the type's name, with a number when that is taken.
             */
            name?: string | null;
            /**
             * Public
             * @description Cloud sources: whoever may ask this daemon may read what the source's own account reads.
             */
            public?: boolean | null;
            /**
             * Schedule
             * @description Cloud sources: `every 30m`, a cron line, or `off`; null: as the settings say (`sync.schedule`).
             */
            schedule?: string | null;
            /**
             * Type
             * @description `folder`, `confluence`, `jira`, or what an installed package adds.
             */
            type: string;
        };
        /**
         * SourceLedger
         * @description Newest cycle first. `counts` is how many items are in each state now.
         */
        SourceLedger: {
            /** Counts */
            counts: {
                [key: string]: number;
            };
            /** Cycles */
            cycles: components["schemas"]["LedgerCycle"][];
        };
        /** SourcePage */
        SourcePage: {
            /** Items */
            items: components["schemas"]["Source"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /**
         * SourcePreview
         * @description What a folder would give: counts, the first names, and the first of what can't be read.
         */
        SourcePreview: {
            /** By Type */
            by_type: {
                [key: string]: number;
            };
            /** Failed */
            failed: components["schemas"]["FailedFile"][];
            /** Failed Count */
            failed_count: number;
            /** Files */
            files: number;
            /** Ignored */
            ignored: number;
            /** Names */
            names: string[];
            /** Skipped */
            skipped: number;
        };
        /**
         * SourceResult
         * @description What the last reading did. With `everything` false only what had changed was looked at.
         *
         *     Cloud sources: `remote` counts what the remote side has, `complete` says that `remote = indexed + skipped`; `held` is gone
         *     there and kept here, because too much went at once.
         */
        SourceResult: {
            /** Added */
            added: number;
            /** Chunks */
            chunks: number;
            /** Complete */
            complete?: boolean | null;
            /** Deleted */
            deleted: number;
            /** Embedded */
            embedded: number;
            /** Everything */
            everything: boolean;
            /** Failed */
            failed: components["schemas"]["FailedFile"][];
            /** Failed Count */
            failed_count: number;
            /** Held */
            held?: number | null;
            /** Ignored */
            ignored: number;
            /** Indexed */
            indexed?: number | null;
            /** Job Id */
            job_id: string;
            /** Moved */
            moved: number;
            /** Notice */
            notice?: string | null;
            /** Remote */
            remote?: number | null;
            /** Requests */
            requests?: number | null;
            /** Reused */
            reused: number;
            /** Skipped */
            skipped: number;
            /** Throttled S */
            throttled_s?: number | null;
            /** Unchanged */
            unchanged: number;
            /** Updated */
            updated: number;
        };
        /** StageRank */
        StageRank: {
            /** Rank */
            rank: number;
            /** Score */
            score: number;
        };
        /** Status */
        Status: {
            counts: components["schemas"]["Counts"];
            /** Data Dir */
            data_dir: string;
            /**
             * Disk Free
             * @description Bytes that are free where the data directory is.
             */
            disk_free: number;
            llm: components["schemas"]["LlmInfo"];
            /**
             * Mcp
             * @description Whether agents are served at `/mcp`.
             */
            mcp: boolean;
            /**
             * Mcp Forbidden
             * @description The policy of the machine that forbids it, whatever the settings say.
             */
            mcp_forbidden: string | null;
            model: components["schemas"]["ModelInfo"];
            /** Notices */
            notices: string[];
            /** Ready */
            ready: boolean;
            reranker: components["schemas"]["RerankerInfo"];
            stores: components["schemas"]["StoresInfo"];
            token_index: components["schemas"]["TokenIndexInfo"];
            /** Version */
            version: string;
        };
        /** Stopping */
        Stopping: {
            /**
             * Stopping
             * @constant
             */
            stopping: true;
        };
        /** StoresInfo */
        StoresInfo: {
            /** Dense */
            dense: string;
            /** Facts */
            facts: string;
            /** Sparse */
            sparse: string;
        };
        /** StrategyBody */
        StrategyBody: {
            /** Name */
            name: string;
        };
        /**
         * StreamEnd
         * @description Why a stream of events ends though more could come; the event `stopping`, the last one. Ask again: another may answer.
         */
        StreamEnd: {
            /** Reason */
            reason: string;
        };
        /** SuggestedQuestion */
        SuggestedQuestion: {
            /**
             * Kind
             * @description What it was made of: faq, definition, heading, table, or model.
             */
            kind: string;
            /** Text */
            text: string;
        };
        /** Suggestion */
        Suggestion: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "title" | "heading" | "identifier";
            /** Text */
            text: string;
        };
        /**
         * SuggestionList
         * @description Best first. `ready` is false until names are gathered, which begins with the first request; then ask again.
         */
        SuggestionList: {
            /** Items */
            items: components["schemas"]["Suggestion"][];
            /** Ready */
            ready: boolean;
        };
        /**
         * Summaries
         * @description Of all questions, and of each group of each kind: `groups.type.exact`.
         */
        Summaries: {
            /** Groups */
            groups: {
                [key: string]: {
                    [key: string]: components["schemas"]["Summary"];
                };
            };
            overall: components["schemas"]["Summary"];
        };
        /**
         * Summary
         * @description Means over questions. `empty` counts those that nothing was found for.
         */
        Summary: {
            /** Empty */
            empty: number;
            latency_ms: components["schemas"]["Latency"];
            /** Metrics */
            metrics: {
                [key: string]: number;
            };
            /** Questions */
            questions: number;
        };
        /**
         * Support
         * @description How well a sentence is borne out by the passages. `start` and `end` are characters (code points) of the answer.
         */
        Support: {
            /**
             * Citations
             * @description Numbers of the passages that bear it out, best first.
             */
            citations: number[];
            /** End */
            end: number;
            /** Score */
            score: number;
            /** Start */
            start: number;
            /** Supported */
            supported: boolean;
            /** Text */
            text: string;
        };
        /** SyncBody */
        SyncBody: {
            /**
             * Allow Empty
             * @description A folder that is found empty, or a space that is nearly all gone, is meant to be: delete it.
             * @default false
             */
            allow_empty: boolean;
            /**
             * Full
             * @description Cloud sources: compare the version of every item.
             * @default false
             */
            full: boolean;
        };
        /** TokenIndexInfo */
        TokenIndexInfo: {
            /** @description Of the job that makes what is missing, while there is one. */
            building: components["schemas"]["TokenIndexProgress"] | null;
            /**
             * Provider
             * @description `none` where no token vectors are kept.
             */
            provider: string;
        };
        /** TokenIndexProgress */
        TokenIndexProgress: {
            /** Done */
            done: number;
            /**
             * Total
             * @description Documents; 0 until they are counted.
             */
            total: number;
        };
        /**
         * Trace
         * @description A whole trace; `core/schemas/trace.schema.json` in the package has every detail.
         */
        Trace: {
            /** Aggregates */
            aggregates: {
                [key: string]: unknown;
            };
            /** Build */
            build: string;
            /** Ended At */
            ended_at: string;
            /** Events */
            events: {
                [key: string]: unknown;
            }[];
            /** Links */
            links: {
                [key: string]: unknown;
            };
            /** Spans */
            spans: {
                [key: string]: unknown;
            }[];
            /** Started At */
            started_at: string;
            /**
             * Status
             * @enum {string}
             */
            status: "ok" | "error" | "cancelled";
            /** Strategy Config Id */
            strategy_config_id: string;
            /** Trace Id */
            trace_id: string;
            /**
             * Trace Type
             * @enum {string}
             */
            trace_type: "query" | "ingestion";
        };
        /** TracePage */
        TracePage: {
            /** Items */
            items: components["schemas"]["TraceRow"][];
            /** Page */
            page: number;
            /** Page Size */
            page_size: number;
            /** Total */
            total: number;
        };
        /** TracePassage */
        TracePassage: {
            /** Chunk Id */
            chunk_id: string;
            /** Collection */
            collection: string;
            /** Doc Id */
            doc_id: string;
            /**
             * End
             * @enum {string}
             */
            end: "context" | "no_room" | "not_served" | "beyond_top_k" | "beyond_list";
            /** Place */
            place: string;
            /** Source */
            source: string;
            /** Text */
            text: string;
            /** Title */
            title: string;
        };
        /**
         * TracePassages
         * @description The passages that a question's lists held, as far as whoever asks may see them; those of the answer first.
         */
        TracePassages: {
            /** Passages */
            passages: components["schemas"]["TracePassage"][];
            /** Query */
            query: string | null;
            /** Trace Id */
            trace_id: string;
        };
        /** TraceRow */
        TraceRow: {
            /**
             * Degraded
             * @description Stages that were worked without.
             */
            degraded: string[];
            /** @description Of an ingestion: what it read, where whoever asks may see it, and it is there. */
            document: components["schemas"]["ReadDocument"] | null;
            /** Ended At */
            ended_at: string;
            /** Job Id */
            job_id: string | null;
            /** Latency Ms */
            latency_ms: number;
            /**
             * Question
             * @description As far as observability.detail_level keeps it.
             */
            question: string | null;
            /** Request Id */
            request_id: string | null;
            /**
             * Results
             * @description Of a question: the passages of its answer.
             */
            results: number | null;
            /** Started At */
            started_at: string;
            /**
             * Status
             * @enum {string}
             */
            status: "ok" | "error" | "cancelled";
            /** Strategy Config Id */
            strategy_config_id: string;
            /** Trace Id */
            trace_id: string;
            /**
             * Trace Type
             * @enum {string}
             */
            trace_type: "query" | "ingestion";
        };
        /**
         * TrialBody
         * @description A question under other settings, to be measured.
         */
        TrialBody: {
            /**
             * Collection
             * @description One, or several; without it every enabled collection is searched.
             */
            collection?: string | string[] | null;
            /**
             * Evaluation
             * @description The evaluation run that asks; the trace links to it.
             */
            evaluation?: string | null;
            /**
             * Explain
             * @description Whether the answer tells how the question was understood.
             * @default false
             */
            explain: boolean;
            /**
             * FiltersBody
             * @description Hard filters; what is not named does not filter.
             */
            filters?: {
                among?: {
                    /**
                     * Collection
                     * @description Names of collections.
                     */
                    collection?: string | string[] | null;
                    /** Doc Id */
                    doc_id?: string | string[] | null;
                    /**
                     * Path Prefix
                     * @description Beginnings of paths, as shown or absolute.
                     */
                    path_prefix?: string | string[] | null;
                    /**
                     * Source Id
                     * @description Sources, by id: followed folders, spaces, projects.
                     */
                    source_id?: string | string[] | null;
                } | null;
                /** Doc Id */
                doc_id?: string | string[] | null;
                /**
                 * Doc Type
                 * @description Extensions (`md`, `docx`) and languages of code (`py`, `python`) are understood, too.
                 */
                doc_type?: ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira") | ("pdf" | "docx" | "xlsx" | "pptx" | "markdown" | "html" | "text" | "code" | "image" | "csv" | "notebook" | "email" | "odt" | "rtf" | "epub" | "diagram" | "confluence" | "jira")[] | null;
                /**
                 * Has Image
                 * @description Only passages that show a picture, or only those that show none.
                 */
                has_image?: boolean | null;
                /**
                 * Image Type
                 * @description Only passages with a picture that its description takes for one of these.
                 */
                image_type?: ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown") | ("table" | "chart" | "flowchart" | "diagram" | "screenshot" | "photo" | "mixed" | "unknown")[] | null;
                /**
                 * Language
                 * @description en, ja or zh.
                 */
                language?: string | string[] | null;
                /** Path Prefix */
                path_prefix?: string | null;
                /**
                 * Section
                 * @description Headings that follow each other anywhere in a section's path: a list, or 'Guide > Setup'.
                 */
                section?: string | string[] | null;
                /**
                 * Section Prefix
                 * @description The first headings of a section's path: a list, or a string such as 'Guide > Setup'.
                 */
                section_prefix?: string | string[] | null;
                /** Source */
                source?: string | string[] | null;
                /**
                 * Tags
                 * @description A document without any tags is not shut out.
                 */
                tags?: string | string[] | null;
                /**
                 * Updated After
                 * @description ISO 8601
                 */
                updated_after?: string | null;
                /**
                 * Updated Before
                 * @description ISO 8601
                 */
                updated_before?: string | null;
                /**
                 * Version Id
                 * @description Only live versions can be searched; another one is an error.
                 */
                version_id?: string | string[] | null;
            };
            /**
             * History
             * @description The turns before the question, oldest first; they make a follow-up self-contained.
             */
            history?: {
                /**
                 * Role
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** Text */
                text: string;
            }[];
            /** Max Context Tokens */
            max_context_tokens?: number | null;
            /**
             * PreferBody
             * @description Soft preferences: they move passages up and never drop one.
             */
            prefer?: {
                /** Has Image */
                has_image?: boolean | null;
                /** Recent */
                recent?: boolean | null;
                /**
                 * Source
                 * @description Sources, or beginnings of them.
                 */
                source?: string | string[] | null;
            };
            /** Query */
            query: string;
            /** Rerank */
            rerank?: boolean | null;
            /**
             * Settings
             * @description Values by dotted name, as a replay takes them, over those of `strategy` where it names a file.
             * @default {}
             */
            settings: {
                [key: string]: unknown;
            };
            /**
             * Strategy
             * @description hybrid, dense_only, sparse_only, or a named strategy.
             */
            strategy?: string | null;
            /** Top K */
            top_k?: number | null;
        };
        /** Trouble */
        Trouble: {
            /** Code */
            code: string;
            /** Message */
            message: string;
        };
        /**
         * TunableSetting
         * @description A setting that a search may change, and the values that it tries.
         */
        TunableSetting: {
            /** Name */
            name: string;
            /** Values */
            values: unknown[];
        };
        /**
         * TuneBody
         * @description A search for better settings, from a strategy on. Nothing is changed by it.
         */
        TuneBody: {
            /**
             * Collection
             * @description Asked where a question names none; all without it.
             */
            collection?: string | null;
            /**
             * Dataset
             * @description One of `GET /api/evaluations/choices`.
             */
            dataset: string;
            /**
             * Limit
             * @description Ask only the first questions.
             */
            limit?: number | null;
            /**
             * Minutes
             * @default 10
             */
            minutes: number;
            /**
             * Settings
             * @description What it may change; all that can be tuned when empty.
             * @default []
             */
            settings: string[];
            /**
             * Strategy
             * @default default
             */
            strategy: string;
        };
        /**
         * TunedFound
         * @description What a search found; `changes` are recommended, and empty where nothing better was found.
         *
         *     `gain` is the mean difference on questions that took no part in the choice, with its 95 % interval, and `p` the chance of it
         *     when nothing is better. `complete` says whether the time sufficed, `tried` counts configurations.
         */
        TunedFound: {
            /** Changes */
            changes: {
                [key: string]: unknown;
            };
            /** Complete */
            complete: boolean;
            /** Gain */
            gain: number;
            /** Halves */
            halves: components["schemas"]["TunedHalf"][];
            /** High */
            high: number;
            /** Low */
            low: number;
            /** P */
            p: number;
            /** Tried */
            tried: number;
        };
        /**
         * TunedHalf
         * @description What one half of the questions chose, and the means on the other, before and after.
         */
        TunedHalf: {
            /** After */
            after: number;
            /** Before */
            before: number;
            /** Changes */
            changes: {
                [key: string]: unknown;
            };
            /** Questions */
            questions: number;
        };
        /** TurnBody */
        TurnBody: {
            /**
             * Role
             * @enum {string}
             */
            role: "user" | "assistant";
            /** Text */
            text: string;
        };
        /**
         * VerifiedAnswer
         * @description The answer without references to what was not given. `citations` are those that it refers to.
         */
        VerifiedAnswer: {
            /** Answer */
            answer: string;
            /** Citations */
            citations: components["schemas"]["Citation"][];
            /**
             * Found
             * @description False for an answer that says only that nothing was found.
             */
            found: boolean;
            /** Removed Citations */
            removed_citations: number;
            /** Support */
            support: components["schemas"]["Support"][];
        };
        /** VerifyBody */
        VerifyBody: {
            /**
             * Collection
             * @description Without it, every enabled collection.
             */
            collection?: string | null;
        };
        /**
         * VerifyReport
         * @description Whether stored content, indexes, vectors and files agree, and where they do not.
         */
        VerifyReport: {
            /** Collections */
            collections: components["schemas"]["CollectionReport"][];
            missing_pictures: components["schemas"]["MissingPictures"];
            /** Ok */
            ok: boolean;
        };
        /**
         * Whereabouts
         * @description Why documents are in the answer or not: the first five whose id, path or title was named.
         */
        Whereabouts: {
            /** Documents */
            documents: components["schemas"]["DocumentWhereabouts"][];
            /** Total */
            total: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    verify_answer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerVerifyBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedAnswer"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_assets: {
        parameters: {
            query?: {
                state?: ("described" | "low_quality" | "failed" | "missing") | null;
                /** @description Those that show the same as this one. */
                same_as?: string | null;
                /** @description One entry for all that show the same. */
                fold?: boolean;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    caption_assets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaptionBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptionStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_asset: {
        parameters: {
            query?: {
                variant?: "thumb" | "raw";
            };
            header?: never;
            path: {
                asset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "image/*": string;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_asset_details: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetDetails"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_asset_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cells, or the values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "text/csv": string;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_backup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive; its manifest comes last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "application/zip": string;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    browser_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserLink"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    stop_lending: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                lender: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    take_lent_request: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LenderBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LentRequests"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    renew_lent_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    answer_lent_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LentAnswerBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    fail_lent_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LentFailureBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    chat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description Any failure before the first event */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    checks: {
        parameters: {
            query?: {
                /** @description Whether the model and the indexes are opened, too. */
                search?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checks"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_collections: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    create_collection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_collection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    change_collection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_collection_guide: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionGuide"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dashboard_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardLink"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_datasets: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_dataset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetRow"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    sample_questions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SampleBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetRow"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_dataset: {
        parameters: {
            query?: {
                /** @description Of a version; the newest without it. */
                digest?: string | null;
                /** @description A part of a question or of its id. */
                text?: string;
                /** @description Only those that wait for labels. */
                unlabelled?: boolean;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_dataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    change_dataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestionChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetRow"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    dataset_text: {
        parameters: {
            query?: {
                /** @description Of a version; the newest without it. */
                digest?: string | null;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetText"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_documents: {
        parameters: {
            query?: {
                status?: ("ready" | "processing" | "failed" | "deleted") | null;
                /** @description A part of the path or the title. */
                text?: string | null;
                /** @description Only what lies in it itself; empty: in none. */
                folder?: string | null;
                /** @description Only documents with pictures that are not described yet, or only those without. */
                has_unprocessed_images?: boolean | null;
                collection?: string | null;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_folders: {
        parameters: {
            query?: {
                /** @description The folder they lie in; empty: the outermost. */
                folder?: string;
                collection?: string | null;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    verify_documents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyReport"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentDetail"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_chunks: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChunkPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_content: {
        parameters: {
            query?: {
                /** @description An older version that is kept; without it, the live one. */
                version_id?: string | null;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentContent"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_guide: {
        parameters: {
            query?: {
                /** @description `model`: the language model writes it, where there is one. */
                by?: "rules" | "model";
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentGuide"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_merged_cells: {
        parameters: {
            query: {
                start: number;
                /** @description Exclusive. */
                end: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergedTableCells"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_outline: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutlinePage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_pages: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageContentPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_page: {
        parameters: {
            query?: {
                /** @description Mark this passage on the page; may be given several times. */
                chunk_id?: string[];
                /** @description Pixels. */
                width?: number;
            };
            header?: never;
            path: {
                doc_id: string;
                page: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page as PNG. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "image/png": string;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_page_text: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                doc_id: string;
                page: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageText"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    reread_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_rows: {
        parameters: {
            query: {
                start: number;
                /** @description Exclusive. */
                end: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SheetRows"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_sections: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SectionPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_slides: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlidePlacesPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_evaluations: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_evaluation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Evaluation"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    answer_given: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GivenAnswer"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    evaluation_choices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationChoices"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    evaluation_cost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationCost"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_evaluation_jobs: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationJobPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    start_evaluation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_evaluation_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationJob"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    save_strategy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StrategyBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedStrategy"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    try_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrialBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    start_tuning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TuneBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_evaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    compare_evaluations: {
        parameters: {
            query: {
                /** @description The id of the second run. */
                against: string;
                /** @description Of the run; the main one without it. */
                metric?: string | null;
                /** @description Which questions, as the second run has them. */
                only?: "changed" | "won" | "lost" | "all";
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationComparison"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    evaluation_figures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationFigures"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    evaluation_questions: {
        parameters: {
            query?: {
                /** @description Of the run; the main one without it. */
                metric?: string | null;
                /** @description By the metric, or `asked`: as they were asked. */
                order?: "worst" | "best" | "asked";
                /** @description A part of a question or of its id. */
                text?: string;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluatedQuestionPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    daemon_events: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_feedback: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feedback"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                feedback_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    api_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    ingest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Collection */
                    collection?: string | null;
                    /**
                     * Force
                     * @description Read again what has not changed.
                     * @default false
                     */
                    force?: boolean;
                    /**
                     * Gitignore
                     * @description In folders, leave out what `.gitignore` files name.
                     * @default true
                     */
                    gitignore?: boolean;
                    /**
                     * Paths
                     * @description Absolute paths of files and folders.
                     */
                    paths: string[];
                    /**
                     * Prune
                     * @description Delete documents of the given folders whose files are no more.
                     * @default false
                     */
                    prune?: boolean;
                    /**
                     * Recursive
                     * @default true
                     */
                    recursive?: boolean;
                    /**
                     * Within
                     * @description Absolute paths of folders that nothing may lie outside of, also not behind a link. It narrows what the daemon allows and never widens it.
                     */
                    within?: string[] | null;
                };
                "multipart/form-data": {
                    /** @description Best sent before the files. */
                    collection?: string;
                    files: string[];
                    /** @default false */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                status?: ("queued" | "running" | "completed" | "failed" | "cancelled") | null;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    job_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_labels: {
        parameters: {
            query?: {
                /** @description The text of a question. */
                question?: string | null;
                question_id?: string | null;
                author?: string | null;
                /** @description Those of whoever asks. */
                mine?: boolean;
                page?: number;
                page_size?: number;
                collection?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_label: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Label"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    label_agreement: {
        parameters: {
            query?: {
                collection?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelAgreement"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_labelled_questions: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
                collection?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelledQuestionPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    delete_label: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                label_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaemonOverview"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    prompt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptAnswer"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    query: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestionBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    reindex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReindexBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_sources: {
        parameters: {
            query?: {
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    add_source: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceCreate"];
            };
        };
        responses: {
            /** @description With `dry_run`: what would be read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePreview"] | components["schemas"]["CloudPreview"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    remove_source: {
        parameters: {
            query?: {
                documents?: "keep" | "delete";
            };
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    change_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    source_ledger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceLedger"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    ledger_items: {
        parameters: {
            query?: {
                state?: "pending" | "indexed" | "skipped" | "held";
                page?: number;
                page_size?: number;
            };
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerPage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    retry_items: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    sync_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SyncBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stopping"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    suggest: {
        parameters: {
            query: {
                /** @description What is typed so far. */
                q: string;
                /** @description Left out: every enabled collection. */
                collection?: string | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestionList"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    list_traces: {
        parameters: {
            query?: {
                type?: ("query" | "ingestion") | null;
                job_id?: string | null;
                /** @description A part of the question. */
                text?: string | null;
                /** @description `slow`: a second or more. */
                only?: ("degraded" | "failed" | "nothing_found" | "slow") | null;
                /** @description Ingestions of this document. */
                doc_id?: string | null;
                /** @description Questions of which some list held this passage. */
                chunk_id?: string | null;
                page?: number;
                page_size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePage"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    get_trace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    trace_flow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    trace_passages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePassages"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replay_trace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    whereabouts: {
        parameters: {
            query: {
                /** @description An id, or a part of a path or a title. */
                document: string;
            };
            header?: never;
            path: {
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whereabouts"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Any failure */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
}
