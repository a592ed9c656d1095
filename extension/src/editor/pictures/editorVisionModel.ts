/** Models of the editor that can be shown pictures. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { asModelError } from "../../core/answer/modelErrors";
import type { PictureAgreement } from "../../core/daemon/pictureAgreement";
import type { VisionMessage, VisionModel } from "../../core/pictures/visionModel";
import { OWN_VENDOR } from "../answer/ownModels";
import { tokenOf } from "../common/cancellation";

export class EditorVisionModel implements VisionModel {
  constructor(private readonly model: vscode.LanguageModelChat) {}

  get name(): string {
    return this.model.name;
  }

  async ask(messages: readonly VisionMessage[], signal: AbortSignal): Promise<string> {
    const { token, dispose } = tokenOf(signal);
    const justification = l10n.t(
      "RAG Assistant lets the model describe the pictures of your documents, as you have agreed.",
    );
    try {
      const response = await this.model.sendRequest(messages.map(sent), { justification }, token);
      let answer = "";
      for await (const piece of response.text) answer += piece;
      return answer;
    } catch (error) {
      throw asModelError(error);
    } finally {
      dispose();
    }
  }
}

/** Models that may see; those of which the editor knows that they don't are left out. Ours have no eyes. */
export async function visionModels(): Promise<vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  return models.filter((model) => model.vendor !== OWN_VENDOR && seesPictures(model) !== false);
}

/** The model of an agreement, while the editor has it. */
export async function agreedModel({ vendor, id }: PictureAgreement): Promise<VisionModel | undefined> {
  const [model] = await vscode.lm.selectChatModels({ vendor, id });
  return model === undefined ? undefined : new EditorVisionModel(model);
}

/** What the editor says of it, where it does: the published interface has no such field yet. */
function seesPictures(model: vscode.LanguageModelChat): boolean | undefined {
  const known: unknown = "capabilities" in model ? model.capabilities : undefined;
  if (typeof known !== "object" || known === null || !("supportsImageToText" in known)) return undefined;
  return typeof known.supportsImageToText === "boolean" ? known.supportsImageToText : undefined;
}

function sent({ role, text, picture }: VisionMessage): vscode.LanguageModelChatMessage {
  // The editor's models know no role for rules: they come first, from the user.
  if (role === "assistant") return vscode.LanguageModelChatMessage.Assistant(text);
  const parts = picture === undefined ? [] : [vscode.LanguageModelDataPart.image(picture.bytes, picture.mime)];
  return vscode.LanguageModelChatMessage.User([...parts, new vscode.LanguageModelTextPart(text)]);
}
