// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/key_source.h"

#include <algorithm>
#include <functional>

namespace meshreel {

KeySource::KeySource(const AttentionProblem& problem, std::span<const float> keyMean)
    : m_problem(problem), m_keyMean(keyMean) {}

bool KeySource::copies() const {
    return m_problem.k.type() != DType::F32 || m_problem.v.type() != DType::F32 ||
           m_problem.keep != nullptr || !m_keyMean.empty();
}

bool KeySource::kept(std::int64_t key) const {
    return m_problem.keep == nullptr || m_problem.keep[key] != 0;
}

std::int64_t KeySource::firstKept(std::int64_t from) const {
    if (m_problem.keep == nullptr)
        return std::min(from, m_problem.keys);
    return std::find_if(m_problem.keep + from, m_problem.keep + m_problem.keys,
                        [](std::uint8_t keep) { return keep != 0; }) -
           m_problem.keep;
}

void KeySource::copyRow(std::int64_t key, float* toKey, float* toValue) const {
    const auto width = static_cast<std::size_t>(m_problem.headDim);
    m_problem.k.read(key, {toKey, width});
    m_problem.v.read(key, {toValue, width});
    if (!m_keyMean.empty())
        std::transform(toKey, toKey + width, m_keyMean.begin(), toKey, std::minus<>());
}

KeyBlock KeySource::next(std::int64_t most, float* keys, float* values) {
    const std::int64_t first = firstKept(m_next);
    std::int64_t end = first;
    while (end < m_problem.keys && end - first < most && kept(end))
        ++end;
    m_next = firstKept(end);
    const bool complete = end - first == most || m_next == m_problem.keys;
    const bool floats = m_problem.k.type() == DType::F32 && m_problem.v.type() == DType::F32;
    if (complete && floats && m_keyMean.empty())
        return {end - first, m_problem.k.floats().from(first), m_problem.v.floats().from(first)};

    const std::int64_t width = m_problem.headDim;
    std::int64_t count = 0;
    std::int64_t key = first;
    for (; key < m_problem.keys && count < most; ++key) {
        if (!kept(key))
            continue;
        copyRow(key, keys + count * width, values + count * width);
        ++count;
    }
    m_next = key;
    return {count, {keys, width}, {values, width}};
}

}  // namespace meshreel
