from __future__ import annotations

from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.linking.tracing import add_dropped

TEXT = "left pleural effusion of the heart"


def mention(text: str, *, kept: bool = True) -> Mention:
    start = TEXT.index(text)
    return Mention(start, start + len(text), text, "C0000001", text, kept=kept)


def test_dropped_mentions_stand_in_their_order_with_what_covers_them() -> None:
    mentions = [[mention("pleural effusion"), mention("heart")], []]
    gone = [
        [
            mention("left pleural"),
            mention("pleural"),
            mention("effusion of"),
            mention("heart"),
            mention("of"),
        ],
        [],
    ]
    add_dropped(mentions, gone)
    assert [(one.text, one.kept, one.why) for one in mentions[0]] == [
        ("left pleural", False, "inside 'pleural effusion'"),
        ("pleural effusion", True, "longest match"),
        ("pleural", False, "inside 'pleural effusion'"),
        ("effusion of", False, "inside 'pleural effusion'"),
        ("of", False, "inside another mention"),
        ("heart", True, "longest match"),
        ("heart", False, "inside 'heart'"),
    ]
    assert mentions[1] == []


def test_what_only_touches_a_mention_is_not_inside_it() -> None:
    found = [Mention(0, 4, "left", "C0000001", "x"), Mention(5, 9, "lung", "C0000001", "x")]
    mentions = [list(found)]
    add_dropped(mentions, [[Mention(4, 7, " lu", "C0000002", "y")]])
    assert [one.why for one in mentions[0] if not one.kept] == ["inside 'lung'"]


def test_a_reason_that_is_known() -> None:
    mentions = [[mention("heart", kept=False)]]
    add_dropped(mentions, [[mention("left")]], "another case")
    assert [(one.text, one.why) for one in mentions[0]] == [
        ("left", "another case"),
        ("heart", "longest match"),
    ]
    add_dropped(mentions, [[mention("heart")]])
    assert mentions[0][-1].why == "inside another mention"
