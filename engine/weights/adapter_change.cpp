// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/adapter_change.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

std::int64_t outermostExtent(const Shape& shape) {
    return shape.rank() == 0 ? 1 : shape[0];
}

/// A training whose loss was NaN leaves such files.
Tensor finite(Tensor numbers, const TensorFile& file, const FileTensor& stored) {
    if (!std::ranges::all_of(numbers.data<float>(), [](float number) { return std::isfinite(number); }))
        throw Error(ErrorKind::Input, sentence("this tensor of the adapter holds NaN or infinity"),
                    tensorPlace(file.path().string(), stored.name),
                    sentence("Its training failed: use an earlier file of it, or another adapter"));
    return numbers;
}

Tensor readAll(const TensorFile& file, const FileTensor& stored) {
    return finite(file.read(stored).toF32(), file, stored);
}

Tensor readSome(const TensorFile& file, const FileTensor& stored, std::int64_t first, std::int64_t count) {
    return finite(file.readRows(stored, first, count).toF32(), file, stored);
}

std::int64_t countRows(const Tensor& tensor) {
    return outermostExtent(tensor.shape());
}

/// A difference with other axes than its target is read whole, others by rows.
void addWhole(const TensorFile& file, const AdapterChange& change, const RowsPlace& place, double factor,
              Tensor& rows) {
    const std::int64_t count = countRows(rows);
    const std::int64_t columns = rows.elements() / count;
    const std::int64_t begin = change.firstRow + place.firstRow;
    const FileTensor& stored = *change.first.left;
    const bool sameRows = stored.shape.rank() > 0 && stored.shape.elements() == stored.shape[0] * place.width;
    const Tensor difference = sameRows ? readSome(file, stored, begin, count) : readAll(file, stored);
    const auto from = difference.data<float>().subspan(
        static_cast<std::size_t>((sameRows ? 0 : begin * place.width) + place.firstColumn));
    const auto to = rows.data<float>();
    for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            to[static_cast<std::size_t>(row * columns + column)] +=
                static_cast<float>(factor) * from[static_cast<std::size_t>(row * place.width + column)];
}

void addLowRank(const TensorFile& file, const AdapterChange& change, const RowsPlace& place, double factor,
                Tensor& rows) {
    const std::int64_t count = countRows(rows);
    const std::int64_t columns = rows.elements() / count;
    const Tensor up = readSome(file, *change.first.left, change.firstRow + place.firstRow, count);
    const Tensor down = readAll(file, *change.first.right);
    const std::int64_t rank = down.extent(0);
    gemm(false, false, count, columns, rank, static_cast<float>(factor), up.data<float>().data(), rank,
         down.data<float>().data() + place.firstColumn, place.width, 1.0F, rows.data<float>().data(),
         columns);
}

void addHadamard(const TensorFile& file, const AdapterChange& change, const RowsPlace& place, double factor,
                 Tensor& rows) {
    const std::int64_t count = countRows(rows);
    const std::int64_t columns = rows.elements() / count;
    const std::int64_t begin = change.firstRow + place.firstRow;
    const Tensor first = change.first.readRows(file, begin, count);
    const Tensor second = change.second.readRows(file, begin, count);
    const auto to = rows.data<float>();
    for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const auto from = static_cast<std::size_t>(row * place.width + place.firstColumn + column);
            to[static_cast<std::size_t>(row * columns + column)] +=
                static_cast<float>(factor) * first.data<float>()[from] * second.data<float>()[from];
        }
}

/// Element [i, j] is first[i / r, j / c] · second[i % r, j % c], for a second matrix [r, c].
void addKronecker(const TensorFile& file, const AdapterChange& change, const RowsPlace& place, double factor,
                  Tensor& rows) {
    const std::int64_t count = countRows(rows);
    const std::int64_t columns = rows.elements() / count;
    const Tensor outer = change.first.readRows(file, 0, change.first.rows());
    const Tensor inner = change.second.readRows(file, 0, change.second.rows());
    const std::int64_t innerRows = inner.extent(0);
    const std::int64_t innerColumns = inner.extent(1);
    const auto outerValues = outer.data<float>();
    const auto innerValues = inner.data<float>();
    const auto to = rows.data<float>();
    for (std::int64_t row = 0; row < count; ++row) {
        const std::int64_t i = change.firstRow + place.firstRow + row;
        const auto outerRow = outerValues.subspan(static_cast<std::size_t>(i / innerRows * outer.extent(1)));
        const auto innerRow = innerValues.subspan(static_cast<std::size_t>(i % innerRows * innerColumns));
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t j = place.firstColumn + column;
            to[static_cast<std::size_t>(row * columns + column)] +=
                static_cast<float>(factor) * outerRow[static_cast<std::size_t>(j / innerColumns)] *
                innerRow[static_cast<std::size_t>(j % innerColumns)];
        }
    }
}

}  // namespace

std::int64_t AdapterMatrix::rows() const {
    return outermostExtent(left->shape);
}

std::int64_t AdapterMatrix::columns() const {
    const FileTensor& inner = right == nullptr ? *left : *right;
    return inner.shape.elements() / std::max<std::int64_t>(1, outermostExtent(inner.shape));
}

bool AdapterMatrix::isConsistent() const {
    if (left->shape.elements() == 0)
        return false;
    if (right == nullptr)
        return true;
    const std::int64_t rank = outermostExtent(right->shape);
    return left->shape.rank() > 1 && right->shape.rank() > 1 && rank > 0 &&
           left->shape.elements() == rows() * rank;
}

Tensor AdapterMatrix::readRows(const TensorFile& file, std::int64_t first, std::int64_t count) const {
    const Tensor factor = readSome(file, *left, first, count);
    if (right == nullptr)
        return factor.reshaped({count, columns()});
    const Tensor inner = readAll(file, *right);
    const std::int64_t rank = inner.extent(0);
    Tensor product = Tensor::empty({count, columns()});
    gemm(false, false, count, columns(), rank, 1.0F, factor.data<float>().data(), rank,
         inner.data<float>().data(), columns(), 0.0F, product.data<float>().data(), columns());
    return product;
}

bool AdapterChange::fits(const Shape& shape, std::int64_t parts) const {
    if (!first.isConsistent())
        return false;
    const std::int64_t wanted = shape.elements() * parts;
    if (!isLowRank() && magnitudes == nullptr)
        return first.left->shape.elements() == wanted;
    if (shape.rank() < 2)
        return false;
    const std::int64_t rows = shape[0] * parts;
    const std::int64_t columns = wanted / std::max<std::int64_t>(1, rows);
    const bool magnitudesFit =
        magnitudes == nullptr || magnitudes->shape.elements() == (ofRows ? rows : shape[1]);
    if (!magnitudesFit || (magnitudes != nullptr && !ofRows && parts > 1))
        return false;
    switch (form) {
        case AdapterForm::Plain:
            return first.rows() == rows && first.columns() == columns;
        case AdapterForm::Hadamard:
            return second.isConsistent() && first.rows() == rows && first.columns() == columns &&
                   second.rows() == rows && second.columns() == columns;
        case AdapterForm::Kronecker:
            return first.left->shape.rank() > 1 && second.left->shape.rank() > 1 && second.isConsistent() &&
                   first.rows() * second.rows() == rows && first.columns() * second.columns() == columns;
    }
    return false;
}

void AdapterChange::addDifference(const TensorFile& file, const RowsPlace& place, double factor,
                                  Tensor& rows) const {
    switch (form) {
        case AdapterForm::Plain:
            return first.right == nullptr ? addWhole(file, *this, place, factor, rows)
                                          : addLowRank(file, *this, place, factor, rows);
        case AdapterForm::Hadamard:
            return addHadamard(file, *this, place, factor, rows);
        case AdapterForm::Kronecker:
            return addKronecker(file, *this, place, factor, rows);
    }
}

std::vector<float> AdapterChange::magnitudeFactors(const TensorFile& file, const RowsBefore& weight) const {
    constexpr std::int64_t atATime = 256;  // rows
    const Tensor wanted = readAll(file, *magnitudes);
    const auto count = static_cast<std::size_t>(ofRows ? weight.rows : wanted.elements());
    std::vector<double> squares(count, 0.0);
    for (std::int64_t begin = 0; begin < weight.rows; begin += atATime) {
        Tensor rows = weight.read(begin, std::min(atATime, weight.rows - begin));
        const std::int64_t width = rows.elements() / countRows(rows);
        addDifference(file, {.firstRow = begin, .width = width}, scale, rows);
        const auto values = rows.data<float>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t column = i % static_cast<std::size_t>(width);
            const std::size_t row = static_cast<std::size_t>(begin) + i / static_cast<std::size_t>(width);
            squares[ofRows ? row : column * count / static_cast<std::size_t>(width)] +=
                static_cast<double>(values[i]) * static_cast<double>(values[i]);
        }
    }
    std::vector<float> factors(count, 0.0F);
    const auto magnitude = wanted.data<float>().subspan(static_cast<std::size_t>(ofRows ? firstRow : 0));
    for (std::size_t i = 0; i < count; ++i)
        if (squares[i] > 0)
            factors[i] = static_cast<float>(static_cast<double>(magnitude[i]) / std::sqrt(squares[i]));
    return factors;
}

void AdapterChange::applyMagnitudes(const TensorFile& file, const RowsPlace& place,
                                    const std::vector<float>& factors, double strength, Tensor& rows) const {
    Tensor changed = rows.clone();
    addDifference(file, place, scale, changed);
    const auto from = changed.data<float>();
    const auto to = rows.data<float>();
    const std::size_t columns = from.size() / static_cast<std::size_t>(countRows(rows));
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t row = static_cast<std::size_t>(place.firstRow) + i / columns;
        const std::size_t column = static_cast<std::size_t>(place.firstColumn) + i % columns;
        const float factor =
            factors[ofRows ? row : column * factors.size() / static_cast<std::size_t>(place.width)];
        const float whole = factor * from[i];
        to[i] = strength == 1.0 ? whole : to[i] + static_cast<float>(strength) * (whole - to[i]);
    }
}

}  // namespace meshreel
