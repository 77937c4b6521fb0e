# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the SentencePiece vocabulary on generated captions, English and Chinese, plus common English words.

    python3 make_vocabulary.py --out runs/spiece.model        (needs Debian's `sentencepiece` tool spm_train)
"""
import argparse
import os
import random
import subprocess

from tinywan.scenes.captions import caption
from tinywan.scenes.specification import random_scene
from tinywan.scenes.words_zh import chinese_caption

_WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _captions(rng):
    for _ in range(6000):
        yield caption(random_scene(rng), rng)
    for _ in range(1500):
        yield chinese_caption(random_scene(rng), rng)


def _common_words(rng):
    with open(_WORDS) as file:
        words = file.read().split()
    for _ in range(40):
        rng.shuffle(words)
        for i in range(0, len(words), 12):
            row = words[i:i + 12]
            if rng.random() < 0.15:
                row = [w.capitalize() for w in row]
            yield " ".join(row) + rng.choice(["", ".", ",", "!", "?"])


def _characters(rng):
    """So that anything that is typed can be spelled."""
    for _ in range(300):
        yield " ".join("".join(rng.choice(_LETTERS) for _ in range(rng.randint(1, 5))) for _ in range(4))
        yield " ".join("".join(rng.choice(_LETTERS.upper()) for _ in range(3)) for _ in range(4))
        yield "".join(rng.choice("0123456789") for _ in range(4)) + " .,;:!?-'\"()/&%+#*_=@$<>[]{}|~^`\\"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="runs/spiece.model")
    parser.add_argument("--size", type=int, default=1400)
    a = parser.parse_args()
    os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
    rng = random.Random(0)
    corpus = a.out + ".txt"
    with open(corpus, "w", encoding="utf-8") as file:
        for source in (_captions, _common_words, _characters):
            file.writelines(line + "\n" for line in source(rng))
    prefix = a.out.removesuffix(".model")
    subprocess.check_call(["spm_train", f"--input={corpus}", f"--model_prefix={prefix}", f"--vocab_size={a.size}",
                           "--model_type=unigram", "--character_coverage=1.0", "--pad_id=0", "--eos_id=1",
                           "--unk_id=2", "--bos_id=-1", "--pad_piece=<pad>", "--eos_piece=</s>",
                           "--unk_piece=<unk>", "--normalization_rule_name=nmt_nfkc", "--minloglevel=1"])
    os.remove(corpus)


if __name__ == "__main__":
    main()
