# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean of the weights of two checkpoints, one trained on from the other or both from the same weights: often better than either
(Wortsman et al. 2022, "Robust fine-tuning of zero-shot models" and "Model soups").

    python3 mean_weights.py runs/t2v-1.pt runs/t2v-2.pt --out runs/t2v.pt
"""
import argparse

import torch

from tinywan.checkpoints import load, mean_of


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", nargs=2, help="of transformers with the same vocabulary, or of autoencoders")
    parser.add_argument("--out", required=True)
    a = parser.parse_args()
    torch.save(mean_of(*map(load, a.checkpoint)), a.out)
    print(f"written: {a.out}")


if __name__ == "__main__":
    main()
