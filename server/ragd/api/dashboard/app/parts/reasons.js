/** Why a document is not in an answer, in words. */

import { number, t, time } from "../lib/text.js";
import { endText, listName } from "./flow.js";

/**
 * @param {{ code: string, values: Record<string, any> }} reason
 * @returns {string}
 */
export function reasonText({ code, values }) {
  switch (code) {
    case "deleted":
      return t("It was deleted.");
    case "failed":
      return t("It could not be read: {0}", values["message"]);
    case "pending":
    case "processing":
      return t("It is not read to its end yet.");
    case "added_since":
      return t("It was added only after the question, at {0}. Ask again.", time(values["at"]));
    case "changed_since":
      return t(
        "It has changed since the question, at {0}: what was searched was an older version.",
        time(values["at"]),
      );
    case "collection_disabled":
      return t("Its collection {0} is disabled.", values["collection"]);
    case "collection_not_asked":
      return t("Its collection {0} was not searched.", values["collection"]);
    case "filtered":
      return t("The filter {0} = {1} left it out.", values["filter"], [values["value"]].flat().join(", "));
    case "not_among_candidates":
      return values["cut"].length > 0
        ? t(
            "No passage of it is among the first {0} of any list, which the trace keeps: it was searched, and others fit better.",
            number(values["listed"]),
          )
        : t("No list held a passage of it: neither its meaning nor its words were near the question.");
    default:
      return values["list"]
        ? t(
            "{0}: rank {1} of the list “{2}”. {3}",
            values["place"] || "–",
            number(values["rank"]),
            listName(values["list"]),
            endText(code),
          )
        : code;
  }
}
