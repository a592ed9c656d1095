"""Diagrams in sentences."""

from __future__ import annotations

from ragd.diagrams.model import Diagram, Edge, Group, Node, made
from ragd.diagrams.summary import MAX_SUMMARY, summarise


def approval() -> Diagram:
    nodes = [Node("a", "Request"), Node("b", "Approved?", "diamond", group="desk"), Node("c", "Ship"), Node("d", "Tell why")]
    edges = [Edge("a", "b"), Edge("b", "c", "yes"), Edge("b", "d", "no")]
    diagram = made("flowchart", nodes, edges, [Group("desk", "Desk")])
    assert diagram
    return diagram


def test_a_summary_says_what_comes_after_each_step() -> None:
    summary = summarise(approval(), "en")
    assert summary.text == (
        "Flow chart with 4 steps: Request → Approved? → Ship, Approved? → Tell why. After “Request” comes “Approved?”. "
        "After “Approved?” comes “Ship” (yes) or “Tell why” (no). Starts with “Request”. Ends with “Ship”, “Tell why”. "
        "In “Desk”: Approved?."
    )
    assert summary.labels == ("Desk", "Request", "Approved?", "Ship", "Tell why", "yes", "no")


def test_a_summary_is_in_the_documents_language() -> None:
    assert "「Approved?」の次はyesなら「Ship」またはnoなら「Tell why」。" in summarise(approval(), "ja").text
    assert "“Approved?”之后是“Ship”（yes）或“Tell why”（no）。" in summarise(approval(), "zh").text
    assert summarise(approval(), "fr").text == summarise(approval(), "en").text == summarise(approval(), None).text


def test_a_circle_ends() -> None:
    diagram = made("flowchart", [Node("a", "A"), Node("b", "B")], [Edge("a", "b"), Edge("b", "a"), Edge("a", "a")])
    assert diagram
    assert summarise(diagram, "en").text == "Flow chart with 2 steps: A → B. After “A” comes “B”. After “B” comes “A”."


def test_messages_are_told_in_their_order() -> None:
    edges = [Edge("u", "s", "log in"), Edge("s", "u", "token", "dotted")]
    diagram = made("sequence", [Node("u", "User"), Node("s", "Server")], edges)
    assert diagram
    told = summarise(diagram, "en").text
    assert told.endswith(": User, Server. “User” sends “log in” to “Server”. “Server” sends “token” to “User”.")


def test_classes_are_told_by_their_relations_and_members() -> None:
    nodes = [Node("c", "Cat", members=("+purr()",)), Node("a", "Animal")]
    diagram = made("class", nodes, [Edge("c", "a", kind="inheritance")])
    assert diagram
    assert summarise(diagram, "en").text.endswith("“Cat” inherits from “Animal”. “Cat” has +purr().")


def test_a_summary_of_a_large_diagram_is_bounded_and_its_labels_are_all_there() -> None:
    nodes = [Node(str(number), f"step number {number}") for number in range(1_500)]
    diagram = made("flowchart", nodes, [Edge(str(number), str(number + 1)) for number in range(1_499)])
    assert diagram
    summary = summarise(diagram, "en")
    assert len(summary.text) <= MAX_SUMMARY
    assert len(summary.labels) == 1_500


def test_a_drawing_without_a_word_is_no_diagram() -> None:
    assert made("flowchart", [Node("a", ""), Node("b", " ")], [Edge("a", "b")]) is None


def test_the_direction_is_the_way_of_most_edges() -> None:
    nodes = [Node(str(n), str(n), box=(n * 100.0, 0.0, n * 100.0 + 50, 30.0)) for n in range(3)]
    forth = made("flowchart", nodes, [Edge("0", "1"), Edge("1", "2")])
    back = made("flowchart", nodes, [Edge("2", "1"), Edge("1", "0")])
    assert forth
    assert back
    assert (forth.direction, back.direction) == ("LR", "RL")
