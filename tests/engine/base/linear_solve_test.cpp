// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/linear_solve.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::FloatNear;

TEST(LinearSolve, EliminationPivots) {
    const std::vector<float> a{0, 2, 1,  //
                               1, 1, 1,  //
                               4, 0, -1};
    const std::vector<float> b{7, 6, 1};  // a·(1, 2, 3)
    constexpr float tolerance = 1e-6F;
    EXPECT_THAT(solveLinear(a, b),
                ElementsAre(FloatNear(1, tolerance), FloatNear(2, tolerance), FloatNear(3, tolerance)));
}

TEST(LinearSolve, SeveralRightSidesOfOneSymmetricMatrix) {
    const std::vector<double> a{4, 2, 2, 3};
    const std::vector<double> b{8, 8, 2, -1};  // a·(1, 2), a·(1, -1)
    constexpr double tolerance = 1e-14;
    EXPECT_THAT(solveSymmetric(a, 2, b), ElementsAre(DoubleNear(1, tolerance), DoubleNear(2, tolerance),
                                                     DoubleNear(1, tolerance), DoubleNear(-1, tolerance)));
}

}  // namespace
}  // namespace meshreel
