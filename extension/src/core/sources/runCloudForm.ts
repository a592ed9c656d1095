/** Goes through the steps of the form: forth, back, and to the step that a failure is about. Nothing is kept until it is saved. */

import type { CloudPreview } from "../api/types";
import { asRagError, isCancelled } from "../common/errors";
import { configOf, secret, stepAfter, stepBefore, stepOfFailure, steps, type CloudForm, type Step } from "./cloudForm";
import { SAVE, answered, question, type Question } from "./cloudQuestions";

export interface ShownStep {
  step: Step;
  question: Question;
  /** What went wrong with this step, in the daemon's words; may be empty. */
  problem: string;
  /** From 1. */
  number: number;
  total: number;
  canGoBack: boolean;
}

export type Reply = { kind: "answer"; answer: string | readonly string[] } | { kind: "back" } | { kind: "cancel" };

export interface FormHost {
  ask(shown: ShownStep): Promise<Reply>;
  /** Tests address and token. Throws `RagError`, with the fields that are wrong. */
  preview(config: ReturnType<typeof configOf>, token: string): Promise<CloudPreview>;
  save(form: CloudForm): Promise<void>;
}

/** The form as it was saved; undefined when it was called off. */
export async function runForm(
  begun: CloudForm,
  host: FormHost,
  first: Step = "address",
): Promise<CloudForm | undefined> {
  let form = begun;
  let step = first;
  let problem = "";
  for (;;) {
    try {
      form = await tested(form, step, host);
    } catch (error) {
      if (isCancelled(error)) return undefined;
      ({ step, problem } = failureAt(form, step, error));
    }
    const all = steps(form);
    const number = all.indexOf(step) + 1;
    const canGoBack = stepBefore(form, step) !== undefined;
    const reply = await host.ask({
      step,
      question: question(form, step),
      problem,
      number,
      total: all.length,
      canGoBack,
    });
    problem = "";
    if (reply.kind === "cancel") return undefined;
    if (reply.kind === "back") {
      step = stepBefore(form, step) ?? step;
      continue;
    }
    const { answer } = reply;
    if (step !== "summary") {
      form = answered(form, step, answer);
      step = stepAfter(form, step);
      continue;
    }
    const chosen = typeof answer === "string" ? answer : answer[0];
    if (chosen !== SAVE) {
      if (all.includes(chosen as Step)) step = chosen as Step;
      continue;
    }
    try {
      await host.save(form);
      return form;
    } catch (error) {
      if (isCancelled(error)) return undefined;
      ({ step, problem } = failureAt(form, step, error));
    }
  }
}

/** What a step needs to know of the site before it is shown. */
async function tested(form: CloudForm, step: Step, host: FormHost): Promise<CloudForm> {
  if (step === "containers" && form.found === undefined) {
    return { ...form, found: await host.preview(configOf(form, []), secret(form)) };
  }
  if (step !== "summary" || form.preview !== undefined) return form;
  return { ...form, preview: await host.preview(configOf(form), secret(form)) };
}

/** Where the person has to go on, and what is said there: never at a step that would only be tested once more. */
function failureAt(form: CloudForm, step: Step, error: unknown): { step: Step; problem: string } {
  const { message, advice } = asRagError(error);
  const problem = [message, advice].filter((part) => part !== "").join(" ");
  const found = stepOfFailure(form, error) ?? { step, message: problem };
  if (form.found === undefined && found.step === "containers") return { step: "address", problem: found.message };
  if (form.preview === undefined && found.step === "summary") return { step: "containers", problem: found.message };
  return { step: found.step, problem: found.message };
}
