// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/linear_solve.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace meshreel {
namespace {

template <typename Number>
using RowMajor = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

// The last substitution adds up row by row, where Eigen's goes column by column: latents made by UniPC of
// order 3 keep their last bits.
std::vector<float> solveLinear(std::span<const float> a, std::span<const float> b) {
    const auto size = static_cast<Eigen::Index>(b.size());
    const Eigen::MatrixXf matrix = Eigen::Map<const RowMajor<float>>(a.data(), size, size);
    const Eigen::PartialPivLU<Eigen::MatrixXf> factors(matrix);
    Eigen::VectorXf x = factors.permutationP() * Eigen::Map<const Eigen::VectorXf>(b.data(), size);
    factors.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    for (Eigen::Index row = size; row-- > 0;) {
        for (Eigen::Index column = row + 1; column < size; ++column)
            x[row] -= factors.matrixLU()(row, column) * x[column];
        x[row] /= factors.matrixLU()(row, row);
    }
    return {x.begin(), x.end()};
}

std::vector<double> solveSymmetric(std::span<const double> a, std::size_t size, std::span<const double> b) {
    const auto side = static_cast<Eigen::Index>(size);
    const Eigen::MatrixXd matrix = Eigen::Map<const RowMajor<double>>(a.data(), side, side);
    const auto columns = static_cast<Eigen::Index>(b.size() / size);
    const Eigen::MatrixXd x = matrix.llt().solve(Eigen::Map<const Eigen::MatrixXd>(b.data(), side, columns));
    return {x.data(), x.data() + x.size()};
}

}  // namespace meshreel
