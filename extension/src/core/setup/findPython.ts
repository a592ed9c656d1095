/** Which Python the environment is made from. */

import { type Machine, expandUser } from "../daemon/directories";
import { ProblemError } from "../problems/problem";
import { noPython, wrongPython } from "./problems";
import {
  type Candidate,
  type Probed,
  type Python,
  findProgram,
  problemOf,
  probePython,
  pythonOfUv,
  pythonsOnPath,
  withoutDoubles,
} from "./pythons";

/** Interpreters that the editor's own extensions know of. */
export type EditorPythons = (signal: AbortSignal) => Promise<Candidate[]>;

/** The Python of the setting, and no other, when it is set; else the first that will do. Throws `ProblemError`. */
export async function findPython(
  setting: string,
  fromEditor: EditorPythons,
  machine: Machine,
  signal: AbortSignal,
): Promise<Python> {
  const uv = findProgram("uv", machine);
  const hasUv = uv !== undefined;
  if (setting) {
    const path = expandUser(setting, machine);
    const probed = await probePython({ command: [path], source: "setting" }, machine, signal);
    const why = "failure" in probed ? probed.failure : problemOf(probed.python, hasUv);
    if ("python" in probed && why === undefined) return probed.python;
    throw new ProblemError(wrongPython(path, why ?? ""));
  }
  const refused: Probed[] = [];
  // The later places are asked only when the earlier ones have none.
  const places = [() => fromEditor(signal), () => pythonsOnPath(machine), () => candidatesOfUv(uv, machine, signal)];
  for (const place of places) {
    for (const candidate of withoutDoubles(await place())) {
      const probed = await probePython(candidate, machine, signal);
      if ("python" in probed && problemOf(probed.python, hasUv) === undefined) return probed.python;
      refused.push(probed);
    }
  }
  throw new ProblemError(noPython(refused, hasUv));
}

/** Every Python that is there, for a choice; each interpreter once. */
export async function listPythons(
  fromEditor: EditorPythons,
  machine: Machine,
  signal: AbortSignal,
): Promise<(Python & { problem: string | undefined })[]> {
  const uv = findProgram("uv", machine);
  const candidates = [
    await fromEditor(signal),
    pythonsOnPath(machine),
    await candidatesOfUv(uv, machine, signal),
  ].flat();
  const found = new Map<string, Python>();
  for (const candidate of withoutDoubles(candidates)) {
    const probed = await probePython(candidate, machine, signal);
    if ("python" in probed && !found.has(probed.python.executable)) found.set(probed.python.executable, probed.python);
  }
  return [...found.values()].map((python) => ({ ...python, problem: problemOf(python, uv !== undefined) }));
}

async function candidatesOfUv(uv: string | undefined, machine: Machine, signal: AbortSignal): Promise<Candidate[]> {
  const found = uv === undefined ? undefined : await pythonOfUv(uv, machine, signal);
  return found === undefined ? [] : [found];
}
