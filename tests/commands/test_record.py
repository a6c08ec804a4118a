import json

from transformer_course.commands import record


def test_a_list_of_numbers_takes_one_line_and_everything_reads_back(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    given = {
        "pairs": [[1, 2], [-3.5, 1e-07]],
        "said": ["a [ 1,\n 2 ] b", "3"],
        "rows": [{"loss": 1.5}, {"loss": None}],
        "none": [],
    }
    path = record.write("trial", "what it is", ["python trial.py"], **given)
    text = path.read_text()
    assert "[1, 2]" in text
    assert "[-3.5, 1e-07]" in text
    read = json.loads(text)
    assert {name: read[name] for name in given} == given
    assert read["commands"] == ["python trial.py"]
