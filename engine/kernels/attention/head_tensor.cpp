// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/head_tensor.h"

#include <utility>

namespace meshreel {
namespace {

std::int64_t rowStride(const HeadTensor& tensor) {
    return tensor.order == HeadOrder::ByToken ? tensor.heads() * tensor.headDim() : tensor.headDim();
}

std::int64_t byteOffset(const HeadTensor& tensor, std::int64_t batch, std::int64_t token, std::int64_t head) {
    const std::int64_t row = tensor.order == HeadOrder::ByToken
                                 ? (batch * tensor.tokens() + token) * tensor.heads() + head
                                 : (batch * tensor.heads() + head) * tensor.tokens() + token;
    return row * tensor.headDim() * static_cast<std::int64_t>(byteSize(tensor.data.dtype()));
}

}  // namespace

Shape HeadTensor::shapeOf(HeadOrder order, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                          std::int64_t headDim) {
    return order == HeadOrder::ByToken ? Shape{batch, tokens, heads, headDim}
                                       : Shape{batch, heads, tokens, headDim};
}

Shape HeadTensor::shapeWith(std::int64_t otherTokens) const {
    return shapeOf(order, batch(), otherTokens, heads(), headDim());
}

HeadRows HeadTensor::rows(std::int64_t batch, std::int64_t token, std::int64_t head) const {
    return {data.raw() + byteOffset(*this, batch, token, head), data.dtype(), rowStride(*this)};
}

OutputRows HeadTensor::outputRows(std::int64_t batch, std::int64_t token, std::int64_t head) {
    return {data.raw() + byteOffset(*this, batch, token, head), data.dtype(), rowStride(*this)};
}

HeadTensor takeFront(const HeadTensor& buffer, Shape shape) {
    return {.data = buffer.data.part(0, std::move(shape), buffer.data.dtype()), .order = buffer.order};
}

}  // namespace meshreel
