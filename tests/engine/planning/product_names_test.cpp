// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/product_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace meshreel {
namespace {

TEST(ProductNames, ACardHasItsMeasuredFormOrThoseThatAreComparedFirst) {
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"khr_f16"}}}), "A, khr_f16");
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"scalar", "nv_f16"}}}),
              "A, the fastest form of scalar, nv_f16");
}

TEST(ProductNames, SeveralCardsHaveEachItsOwn) {
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"nv_f16"}}, {"B", {"khr_bf16"}}}),
              "A, nv_f16; B, khr_bf16");
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"nv_f16"}}, {"B", {"scalar", "khr_f16"}}}),
              "A, nv_f16; B, the fastest form of scalar, khr_f16");
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"nv_f16"}}, {"A", {"nv_f16"}}}), "A, nv_f16")
        << "cards of one kind are named once";
    EXPECT_EQ(nameCards(std::vector<CardForms>{{"A", {"nv_f16"}}, {"A", {"scalar"}}}),
              "A, nv_f16; A, scalar");
}

}  // namespace
}  // namespace meshreel
