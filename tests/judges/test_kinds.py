"""What holds for every rule: equal is equal, dress does not count, nor does order."""

import random

import pytest

from bench import answers
from evalcore.judges import JUDGES, make
from tests.judges.askers import item, said

ENCODED = ("similarity-embedding", "similarity-bertscore")
RULES = [name for name, row in JUDGES.items() if not row.asks and not name.startswith(ENCODED)]
WORDS = [
    "Paris", "a", "the", "red", "$x^2$", r"$\frac{1}{2}$", r"\text{Paris}", r"\boxed{5}",
    "__init__", "# 5", "> 5", "- 3 dB", "Answer: 5", "5", "1,234.5", "12:30", "3-5", "1e999",
    "U.S.", "don't", "**", "?!", "C++", "<b>", "<think>", "</think>", "<answer>", "</s>",
    "<|im_end|>", "[THINK]", "\\", "{", "}", "^{", "$", "$5", "50 %", "B", "(B)", "B.", "not",
    "or", "no,", "wait,", "½", "x²", "дом", "赤い", "٣", "😀", "e\u0301", "\u200d", "\xad",
    "`code`",
    "_", "*a*", "|", "\n", "the answer is", "%", "°", "1 234", "i", "I", "A", "None", "N/A", "=",
    "7 = 3 + 4", "\t",
]  # fmt: skip
DRESSES = [
    "<think>It is blue, or 99. Answer: C</think>{}",
    "<think>\nblue\n</think>\n\n{}",
    "blue, 99</think>{}",
    "<thinking>blue</thinking>{}",
    "<thought>blue</thought>{}",
    "<reasoning>blue 99</reasoning>\n{}",
    "<seed:think>blue</seed:think>{}",
    "[THINK]blue[/THINK]{}",
    "◁think▷blue◁/think▷{}",
    "<|begin_of_thought|>blue<|end_of_thought|><|begin_of_solution|>{}<|end_of_solution|>",
    "<|START_THINKING|>blue<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
    "<unused94>thought\nblue<unused95>{}",
    "<|channel>thought\nblue<channel|>{}<turn|>",
    "<|channel|>analysis<|message|>blue<|end|><|start|>assistant<|channel|>final<|message|>{}",
    "analysisIt is blue.assistantfinal{}",
    "<answer>{}</answer>",
    "<answer>{}",
    "It may be blue, 99 or C.\n<answer>{}</answer>",
    "<think>blue</think>\n<answer>\n{}\n</answer>",
    "<final_answer>{}</final_answer>",
    "<SUMMARY>blue</SUMMARY><REASONING>99</REASONING><CONCLUSION>{}</CONCLUSION>",
    "<|begin_of_box|>{}<|end_of_box|>",
    "<think>blue</think>I see it.<|begin_of_box|>{}<|end_of_box|>",
    r"\boxed{{{}}}",
    r"$\boxed{{{}}}$",
    r"\boxed{{\text{{{}}}}}",
    r"So it is \boxed{{{}}}, which is what 3 plus 4 say.",
    r"<answer>\boxed{{{}}}</answer>",
    "{}<|im_end|>",
    "{}</s>",
    "{}<eos>",
    "{}<end_of_turn>\n<start_of_turn>user\nAnd 99?",
    "{}<|eot_id|>",
    "{}<|endoftext|>",
    "{}<｜end▁of▁sentence｜>",
    "{}<|im_end|>\n<|im_start|>user\nblue 99?<|im_end|>",
    "<|im_start|>assistant\n{}<|im_end|>",
    "<s>{}</s>",
    "**{}**",
    "Answer: {}",
    "Final answer: {}",
    "**Final Answer:** {}",
    "### Answer\n{}",
    "The answer is {}",
    "It has 99 parts.\n\nSo the final answer is: {}",
    "Therefore, the correct answer is **{}**",
    "答案：{}",
    "`{}`",
    "```\n{}\n```",
    "> {}",
    "- {}",
]
ENDLESS = ["<think>{}", "Sure! <think>{}", "[THINK]{}", "◁think▷{}", "<thinking>\n{}", "<think>\n"]
BARE = [("red", ["red"]), ("7", ["7"]), ("B", ["cat"]), ("cat", ["cat"]), ("blue", ["red"])]
BARE += [("8", ["7"]), ("2.5 kg", ["2.5"]), ("A", ["cat"]), ("dark red", ["dark red"])]
CHOICES = ["dog", "cat", "dark red", "red"]


def references(n):
    rng = random.Random(7)
    for _ in range(n):
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 4))]
        text = rng.choice([" ", " ", ""]).join(words)
        if text.strip():
            yield text


def score(rule, answer, answers=("red",), choices=()):
    return make(rule).judge(item(answers, choices), said(answer)).score


@pytest.mark.parametrize("rule", RULES)
def test_an_answer_identical_to_the_reference_is_right(rule):
    wrong = [text for text in references(2_000) if score(rule, text, [text]) != 1]

    assert wrong == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "vqa-accuracy"])
def test_an_answer_identical_to_one_of_several_references_is_right(rule):
    given = list(references(300))
    pairs = zip(given, given[1:], strict=False)

    assert [one for one, other in pairs if score(rule, one, [other, one]) != 1] == []


def test_a_choice_that_is_the_reference_is_right_whatever_stands_beside_it():
    given = list(references(600))
    triples = zip(given, given[1:], given[2:], strict=False)

    wrong = [one for one, *more in triples if score("choice", one, [one], [*more, one]) != 1]

    assert wrong == []


@pytest.mark.parametrize("dress", DRESSES)
def test_a_dressed_answer_scores_as_the_bare_one(dress):
    for answer, given in BARE:
        for rule in RULES:
            bare = score(rule, answer, given, CHOICES)

            assert score(rule, dress.format(answer), given, CHOICES) == bare, (rule, answer)


@pytest.mark.parametrize("dress", [dress for dress in DRESSES if dress not in ("> {}", "- {}")])
def test_a_dressed_reference_is_the_bare_one(dress):
    for rule in RULES:
        assert score(rule, "red", [dress.format("red")], ["red", "blue"]) == 1


@pytest.mark.parametrize("endless", ENDLESS)
def test_thoughts_without_end_are_no_answer(endless):
    for rule in RULES:
        assert score(rule, endless.format("red 7 B"), ["red"], CHOICES) is None


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_references_does_not_count_and_for_any_one_of_them_repeats_do_not(rule):
    given = ["red", "7", "dark red", "1.5 kg"]
    for answer in ("red", "7", "blue", "1.5", "B"):
        straight = score(rule, answer, given, CHOICES)

        assert score(rule, answer, given[::-1], CHOICES) == pytest.approx(straight)
        if rule != "vqa-accuracy":
            assert score(rule, answer, given * 2, CHOICES) == pytest.approx(straight)


def test_the_order_of_choices_does_not_count():
    rng = random.Random(3)
    for _ in range(200):
        choices = rng.sample(answers.THINGS, 4)
        right, meant = rng.choice(choices), rng.choice(choices)
        expected = float(right == meant)
        for order in (choices, choices[::-1], choices[1:] + choices[:1]):
            letter = "ABCD"[order.index(meant)]

            assert score("choice", meant, [right], order) == expected
            assert score("choice", f"({letter})", [right], order) == expected
            assert score("choice", f"{letter}. {meant}", [right], order) == expected


@pytest.mark.parametrize(
    "written",
    ["1,250", "1250", "1 250", "1'250", "1,250.0", "1.25e3", "1.25 × 10^3", "1.25k", r"1{,}250"]
    + [r"$1.25 \times 10^{3}$", "$1,250", "1250 kg", r"\boxed{1\,250}", "١٢٥٠", "１２５０"]
    + ["one thousand two hundred and fifty", "2500/2", r"\frac{2500}{2}", "1250.", "~1250"],
)
@pytest.mark.parametrize("rule", ["number", "number-first", "relaxed-accuracy"])
def test_a_number_is_the_same_in_any_way_of_writing(rule, written):
    assert score(rule, written, ["1250"]) == 1
    assert score(rule, "1250", [written]) == 1
    assert score(rule, written, ["2500"]) == 0


def test_generated_answers_are_read_right_or_not_at_all():
    cases = list(answers.cases(1_200, seed=11))
    wrong = [case for case in cases if answers.score(case) not in (case.score, None)]

    assert len(wrong) <= 0.005 * len(cases), wrong
    assert {case.form for case in cases} >= {"dressed", "number in LaTeX", "letter taken back"}


def test_most_generated_answers_are_read():
    cases = [case for case in answers.cases(1_200, seed=12) if case.score is not None]
    read = [case for case in cases if answers.score(case) is not None]

    assert len(read) >= 0.9 * len(cases)
