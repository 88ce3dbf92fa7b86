"""The scripts of the shared corpus: right ones run without findings, mistakes are found at their lines, and saved
launches are as expected.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import CORPUS, needs_corpus, run_script, with_package

ALL_TARGETS = "WARPLENS_ALL_TARGETS" in os.environ


def cases(folder: str) -> list[Any]:
    """The cases of a folder, each with one of its targets in turn, or with all of them."""
    path = CORPUS / folder / "cases.json"
    if not path.exists():
        return []
    listed = []
    for number, case in enumerate(json.loads(path.read_text())):
        targets = case.get("targets") or [case["target"]]
        chosen = targets if ALL_TARGETS else [targets[number % len(targets)]]
        listed += [(case, target) for target in chosen]
    return [
        pytest.param(case, target, id=f"{case.get('name') or case['script'][:-3]}-{target}") for case, target in listed
    ]


@needs_corpus
@pytest.mark.parametrize(("case", "target"), cases("kernels"))
def test_a_right_script_has_no_finding(case: dict[str, Any], target: str) -> None:
    if "torch" in case.get("needs", []):
        pytest.importorskip("torch")
    run = run_script(CORPUS / "kernels" / case["script"], "--target", target)
    assert run.code == 0, run.text
    assert len(run.launches) >= case["launches"]
    assert run.serious == []


@needs_corpus
@pytest.mark.parametrize(("case", "target"), cases("mistakes"))
def test_a_mistake_is_found_at_its_line(case: dict[str, Any], target: str) -> None:
    wrong = CORPUS / "mistakes" / case["wrong"]
    run = run_script(wrong, "--target", target)
    assert run.code == 1, run.text
    own = [finding for finding in run.serious if finding["file"] == str(wrong)]
    found = [(finding["code"], finding["line"]) for finding in own]
    assert [(code, line) for code, line in found if code in case["codes"] and line in case["lines"]], found


@needs_corpus
@pytest.mark.parametrize(("case", "target"), cases("mistakes"))
def test_the_script_without_the_mistake_has_no_finding(case: dict[str, Any], target: str) -> None:
    run = run_script(CORPUS / "mistakes" / case["right"], "--target", target)
    assert run.code == 0, run.text
    assert run.serious == []


@needs_corpus
@pytest.mark.parametrize(("case", "target"), cases("launches"))
def test_a_saved_launch_is_as_expected(case: dict[str, Any], target: str, tmp_path: Path) -> None:
    check = pytest.importorskip("tomllib") and load_check()
    script = CORPUS / "launches" / case["script"]
    if case.get("capture"):
        environment = {**with_package(), "TRITON_CACHE_DIR": str(tmp_path / "cache")}
        subprocess.run([sys.executable, str(script), str(tmp_path / "saved")], check=True, env=environment)
    else:
        run = run_script(script, "--target", target, "--save", str(tmp_path / "saved"))
        assert run.code == 0, run.text
    (folder,) = (tmp_path / "saved").iterdir()
    launch = check.launch_of(folder)
    assert check.differences(case["launch"], launch, case["scratch"]) == []
    assert launch["expect"] == case["expect"]


def load_check() -> Any:
    """The module of the corpus that reads saved launches."""
    sys.path.insert(0, str(CORPUS / "launches"))
    try:
        import check
    finally:
        sys.path.pop(0)
    return check
