"""Which submissions are alike: copies are found whatever their names, the task itself is not."""

from transformer_course.grading.exports.similarity import FEW, LENGTH, likeness

OWN = """\
def spread(rows, width):
    total = 0.0  # summed by hand
    for row in rows:
        total += sum(each ** 2 for each in row) / width
    if not total:
        raise ValueError("nothing to spread, every row is empty")
    return [total / len(rows), 7 * total - 3, {"count": len(rows)}]
"""
OTHER = """\
def spread(rows, width):
    return max(map(len, rows)) - min([width, 4, 5], key=lambda each: -each) or (1, 2, 3)
"""


def pairs(answers, released):
    return likeness(answers, released).alike


def test_a_copy_with_other_names_and_spaces_is_found():
    copy = OWN.replace("total", "acc").replace("rows", "xs").replace("    ", "  ")
    (pair,) = pairs({"ada": [OWN], "bob": [copy], "eve": [OTHER]}, [])
    assert pair.students == ("ada", "bob")
    assert pair.share == 1.0


def test_half_of_a_copy_hidden_in_more_work_is_found():
    (pair,) = pairs({"ada": [OWN], "bob": [OTHER, "x = 1\n" * 30, OWN]}, [])
    assert pair.share == 1.0


def test_what_was_released_is_nobody_s():
    assert pairs({"ada": [OWN], "bob": [OWN]}, [OWN]) == []


def own_work(number: int) -> str:
    """Code of which no run of tokens is another student's."""
    return "\n".join(
        f"x = ({number}, {line}, {number} * {line}) or f(-{line})" for line in range(20)
    )


def test_what_many_write_beside_work_of_their_own_is_the_task():
    many = {f"s{number}": [OWN, own_work(number)] for number in range(FEW + 1)}
    found = likeness(many, [])
    assert found.alike == []
    assert found.left_out > 20
    shared = {f"s{number}": [OWN, own_work(number)[:99]] for number in range(3)}
    assert [len(each.students) for each in pairs(shared, [])] == [2, 2, 2]


def test_the_same_notebook_is_found_however_many_have_it():
    ring = {f"ring{number}": [OWN, own_work(99)] for number in range(8)}
    ring["ring7"] = [OWN.replace("total", "acc"), own_work(99).replace("f(-19)", "g()")]
    others = {f"s{number:02}": [own_work(number)] for number in range(16)}
    (found,) = pairs(ring | others, [])
    assert found.students == tuple(ring)
    assert 0.9 < found.share <= 1


def test_short_answers_say_nothing():
    assert pairs({"ada": ["answer = 42"], "bob": ["answer = 42"]}, []) == []


def test_cells_that_are_no_python_are_compared_as_far_as_they_are():
    broken = OWN + "\nx = (1,\n"
    (pair,) = pairs({"ada": [broken], "bob": [OWN]}, [])
    assert pair.share > 0.9
    assert LENGTH > 5
