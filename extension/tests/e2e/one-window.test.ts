/** Suites that share one window of one editor, one daemon and one set of documents, in this order: the last one ends the daemon. */

import "./window/activation.ts";
import "./window/tree.ts";
import "./window/viewer.ts";
import "./window/dashboard.ts";
import "./window/accessibility.ts";
import "./window/panel.ts";
import "./window/failedFile.ts";
import "./window/chatTab.ts";
import "./window/scope.ts";
import "./window/participant.ts";
import "./window/tools.ts";
import "./window/cloud.ts";
import "./window/transport.ts";
import "./window/daemon.ts";
