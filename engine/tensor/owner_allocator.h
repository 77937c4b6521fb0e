// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <utility>

namespace meshreel {

/// Memory for the owners of tensors, out of what a pool keeps for that: a pass makes and drops hundreds.
template <typename T>
class OwnerAllocator {
  public:
    using value_type = T;

    explicit OwnerAllocator(std::shared_ptr<std::pmr::memory_resource> pool) : m_pool(std::move(pool)) {}
    template <typename Other>
    explicit OwnerAllocator(const OwnerAllocator<Other>& other) : m_pool(other.pool()) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(m_pool->allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* place, std::size_t count) { m_pool->deallocate(place, count * sizeof(T), alignof(T)); }
    [[nodiscard]] const std::shared_ptr<std::pmr::memory_resource>& pool() const { return m_pool; }

    template <typename Other>
    friend bool operator==(const OwnerAllocator& one, const OwnerAllocator<Other>& other) {
        return one.pool() == other.pool();
    }

  private:
    std::shared_ptr<std::pmr::memory_resource> m_pool;  // as long as the owner
};

}  // namespace meshreel
