"""Findings name programs, elements of tensors and Python lines."""

from __future__ import annotations

from types import SimpleNamespace

from warplens.programs import LaunchNames, View
from warplens.report import as_text
from warplens.runs import Finding, Launch, Runs

PTX = '.file 1 "/k.py"\n.loc 1 7 0\nst\n.loc 1 9 0\nld\n'
RACE = {
    "code": "data-race",
    "severity": "error",
    "message": "Global-memory race: out[9] written by block (1,2,0) and block (0,2,0)\nfix it\n"
    "thread (0,0,0) of block (1,2,0) is lane 0 of warp 0, thread (0,0,0) of block (0,2,0) is lane 0 of warp 0",
    "line": 2,
    "cta": [1, 2, 0],
    "source": {"file": "/k.py", "line": 7},
    "related": [{"line": 4, "message": "thread (0,0,0) of block (0,2,0) writes `out[9]` here"}],
}


def test_indices_of_elements() -> None:
    # A transposed matrix of 3 x 4 that begins at element 2 of its memory.
    view = View(2, (4, 3), (1, 4))
    assert [view.index(element) for element in (2, 3, 6, 13)] == [(0, 0), (1, 0), (0, 1), (3, 2)]
    assert [view.index(element) for element in (0, 1, 14)] == [None, None, None]
    # Every second row: the rows between are no elements.
    assert [View(0, (2, 3), (6, 1)).index(element) for element in (2, 4, 7)] == [(0, 2), None, (1, 1)]
    # An expanded tensor has its element at the first index.
    assert View(0, (5, 3), (0, 1)).index(2) == (0, 2)


def test_views_of_tensors() -> None:
    torch_like = SimpleNamespace(shape=(2, 3), element_size=lambda: 4, stride=lambda: (3, 1))
    numpy_like = SimpleNamespace(shape=(2, 3), itemsize=4, strides=(12, 4))
    assert View.of(torch_like, 8) == View.of(numpy_like, 8) == View(2, (2, 3), (3, 1))
    assert View.of(object(), 0) is None


def test_a_race_between_programs() -> None:
    names = LaunchNames(PTX, (2, 3, 1), 1, {"out": View(0, (4, 6), (6, 1))})
    named = names.named(RACE)
    assert named["message"] == ("Global-memory race: out[1, 3] written by program (1, 2) and program (0, 2)\nfix it")
    assert named["program"] == [1, 2]
    assert named["related"] == [
        {"line": 4, "message": "program (0, 2) writes `out[1, 3]` here", "source": {"file": "/k.py", "line": 9}}
    ]
    launch = Launch(0, "k", "/k.py", 20, (2, 3, 1), "finished", "findings", findings=[Finding.of(named)])
    assert as_text(Runs([launch]))[3:8] == [
        "error[data-race]: Global-memory race: out[1, 3] written by program (1, 2) and program (0, 2)",
        " --> /k.py:7",
        "      = program (0, 2) writes `out[1, 3]` at /k.py:9",
        "      = fix it",
        "      = launch 0, `k` at /k.py:20, line 3 of its PTX",
    ]


def test_a_race_in_a_program_keeps_its_threads() -> None:
    race = {**RACE, "message": "Global-memory race: out[9] read by lane 1, written by lane 0\nlanes", "related": []}
    named = LaunchNames(PTX, (4, 1, 1)).named(race)
    assert named["message"] == race["message"]
    launch = Launch(0, "k", "/k.py", 20, (4, 1, 1), "finished", "findings", findings=[Finding.of(named)])
    assert as_text(Runs([launch]))[-3] == "      = launch 0, `k` at /k.py:20, program 1, line 3 of its PTX"


def test_blocks_of_clusters_are_not_programs() -> None:
    named = LaunchNames(PTX, (2, 1, 1), 2).named(RACE)
    assert "block (1,2,0) and block (0,2,0)" in named["message"]
    assert "program" not in named
