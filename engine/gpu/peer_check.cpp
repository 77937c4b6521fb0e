// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/peer_check.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_work.h"

namespace meshreel {
namespace {

/// Numbers in which no two words near each other are the same, others for each GPU.
std::vector<std::uint32_t> patternOf(std::size_t gpu) {
    constexpr std::size_t words = std::size_t{1} << 20;
    constexpr std::uint32_t odd = 2654435761U;  // 2^32 by the golden ratio: spreads consecutive numbers
    std::vector<std::uint32_t> pattern(words);
    for (std::size_t word = 0; word < words; ++word)
        pattern[word] = static_cast<std::uint32_t>(word + (gpu + 1) * words) * odd;
    return pattern;
}

/// A GPU that lends a pattern and takes those of others.
class PeerEnd {
  public:
    PeerEnd(const Gpu& gpu, std::size_t number)
        : m_gpu(gpu),
          m_pattern(patternOf(number)),
          m_lent(gpu, bytes(), GpuPlace::Device),
          m_taken(gpu, bytes(), GpuPlace::Device),
          m_staging(gpu, bytes(), GpuPlace::Host),
          m_stream(gpu) {
        std::memcpy(m_staging.mapped().data(), m_pattern.data(), bytes());
        m_stream.copy(m_staging, m_lent, bytes());
        m_stream.finish();
    }

    [[nodiscard]] const std::string& name() const { return m_gpu.name(); }

    /// Whether a copy brings what the other one lends; its own pattern lies there before.
    [[nodiscard]] bool takesFrom(const PeerEnd& other) {
        try {
            m_stream.copy(m_lent, m_taken, bytes());
            m_stream.copyFromPeer(m_taken.address(), other.m_gpu, other.m_lent.address(), bytes());
            m_stream.copy(m_taken, m_staging, bytes());
            m_stream.finish();
        } catch (...) {
            m_stream.settle();  // it may read the other one's buffer still
            throw;
        }
        return std::memcmp(m_staging.mapped().data(), other.m_pattern.data(), bytes()) == 0;
    }

  private:
    [[nodiscard]] std::size_t bytes() const { return m_pattern.size() * sizeof m_pattern.front(); }

    const Gpu& m_gpu;
    std::vector<std::uint32_t> m_pattern;
    GpuBuffer m_lent;
    GpuBuffer m_taken;
    GpuBuffer m_staging;
    GpuStream m_stream;  // its work ends before the buffers go
};

}  // namespace

Sentence whyPeersDoNotCopy(std::span<const std::shared_ptr<GpuWork>> gpus) {
    try {
        std::deque<PeerEnd> ends;
        for (const std::shared_ptr<GpuWork>& work : gpus)
            ends.emplace_back(work->gpu(), ends.size());
        for (PeerEnd& to : ends)
            for (const PeerEnd& from : ends)
                if (&to != &from && !to.takesFrom(from))
                    return sentence("a copy from {} to {} brings other numbers", from.name(), to.name());
        return {};
    } catch (const Error& failure) {
        return failure.asSentence();
    }
}

}  // namespace meshreel
