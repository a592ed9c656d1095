/** Answers that end when the daemon does not answer. */

import { untilCancelled } from "../common/cancellation";
import type { DaemonService } from "../daemon/status";
import { DaemonWatch, SEARCH_LIMIT_MS } from "../daemon/watch";
import type { AnswerEvent, AnswerService, ChosenWriter, Question } from "./types";

export class WatchedAnswers implements AnswerService {
  constructor(
    private readonly answers: AnswerService,
    private readonly daemon: Pick<DaemonService, "onDidChangeStatus">,
    private readonly limit = SEARCH_LIMIT_MS,
  ) {}

  async *answer(question: Question, writer: ChosenWriter, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    const watch = new DaemonWatch(this.daemon, signal, this.limit);
    try {
      for await (const event of untilCancelled(this.answers.answer(question, writer, watch.signal), watch.signal)) {
        if (event.type === "retrieval") watch.found();
        // A model of the editor that has begun to write needs no daemon for the rest.
        if (event.type === "delta" && typeof writer === "object") watch.release();
        yield event;
      }
    } catch (error) {
      throw watch.reason(error);
    } finally {
      watch.dispose();
    }
  }
}
