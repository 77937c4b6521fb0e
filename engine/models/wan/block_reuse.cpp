// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/block_reuse.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

/// now - before, in the memory of `before`.
void turnIntoAdded(const Execution& execution, Tensor& before, const Tensor& now) {
    subtractFrom(execution, MatrixSpan(before), MatrixView(now));
}

/// Returns the change of one video's tokens, summed token by token: the same whatever the number of workers.
BlockChange measureChange(const Execution& execution, std::span<const float> now,
                          std::span<const float> before, std::size_t width) {
    struct Sums {
        double difference = 0;
        double reference = 0;
    };
    std::vector<Sums> tokens(now.size() / width);
    execution.workers.parallelFor(std::ssize(tokens), [&](std::int64_t begin, std::int64_t end) {
        for (auto token = static_cast<std::size_t>(begin); token < static_cast<std::size_t>(end); ++token)
            for (std::size_t at = token * width; at < (token + 1) * width; ++at) {
                tokens[token].difference += std::abs(double{now[at]} - double{before[at]});
                tokens[token].reference += std::abs(double{before[at]});
            }
    });
    Sums sums;
    for (const Sums& token : tokens) {
        sums.difference += token.difference;
        sums.reference += token.reference;
    }
    return {.difference = static_cast<float>(sums.difference),
            .reference = static_cast<float>(sums.reference)};
}

}  // namespace

BlockKeeper::BlockKeeper(const Execution& execution, BlockReuse* reuse, std::size_t contexts)
    : m_execution(execution), m_reuse(reuse) {
    if (reuse == nullptr)
        return;
    m_fresh = reuse->kept.empty();
    reuse->skipped = skips();
    reuse->kept.added.resize(contexts);
    if (asks())
        reuse->kept.first.resize(contexts);
}

void BlockKeeper::embedded(const Tensor& hidden) {
    if (asks())
        m_embedded = hidden.clone();
    if (m_reuse != nullptr && m_reuse->way == BlockReuse::Way::Keep)
        for (Tensor& added : m_reuse->kept.added)
            added = hidden.clone();
}

bool BlockKeeper::ask(const Tensor& ofDevice) {
    const Tensor added = ofDevice.host();
    const Tensor before = m_reuse->kept.first.front().host();
    const auto videos = static_cast<std::size_t>(added.extent(0));
    const std::size_t each = videos == 0 ? 0 : added.data<float>().size() / videos;
    std::vector<BlockChange> changes;
    for (std::size_t video = 0; video < videos; ++video)
        changes.push_back(measureChange(m_execution, added.data<float>().subspan(video * each, each),
                                        before.data<float>().subspan(video * each, each),
                                        static_cast<std::size_t>(added.extent(2))));
    return m_reuse->maySkip(changes);
}

bool BlockKeeper::firstBlockDone(std::size_t context, const Tensor& hidden) {
    Tensor added = m_embedded.clone();
    turnIntoAdded(m_execution, added, hidden);
    if (context == 0)
        m_reuse->skipped = !m_fresh && ask(added);
    if (m_reuse->skipped)
        return true;
    m_reuse->kept.first[context] = std::move(added);
    m_reuse->kept.added[context] = hidden.clone();
    return false;
}

void BlockKeeper::addKept(std::size_t context, Tensor& hidden) const {
    addRows(m_execution, MatrixSpan(hidden), MatrixView(m_reuse->kept.added[context]));
}

void BlockKeeper::blocksDone(std::size_t context, const Tensor& hidden) {
    if (m_reuse != nullptr)
        turnIntoAdded(m_execution, m_reuse->kept.added[context], hidden);
}

bool BlockKeeper::askWithoutVideos() {
    m_reuse->skipped = !m_fresh && m_reuse->maySkip({});
    return m_reuse->skipped;
}

}  // namespace meshreel
