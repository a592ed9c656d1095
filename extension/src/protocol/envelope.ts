/** The shape of a message. */

/** A map from types to payloads as the union of its messages: `{type, …}`. */
export type Envelope<Map> = { [Type in keyof Map]: { type: Type } & Map[Type] }[keyof Map];
