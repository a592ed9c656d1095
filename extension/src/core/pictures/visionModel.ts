/** A model that can be shown pictures. */

export interface VisionMessage {
  /** `system` are rules; a model that knows no such role gets them from the user. */
  role: "system" | "user" | "assistant";
  text: string;
  /** Goes before the text. */
  picture?: { mime: string; bytes: Uint8Array };
}

export interface VisionModel {
  readonly name: string;
  /** The whole answer. Throws `RagError` MODEL_REFUSED, MODEL_MISSING, MODEL_QUOTA or MODEL_FAILED. */
  ask(messages: readonly VisionMessage[], signal: AbortSignal): Promise<string>;
}
