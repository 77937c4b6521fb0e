// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/feature_pool.h"

#include <utility>

namespace meshreel {

Tensor FeaturePool::take(Shape shape, DType type) {
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * sizeOf(type);
    std::vector<Tensor>& free = (*m_free)[bytes];
    Tensor memory;
    if (free.empty()) {
        memory = Tensor::empty({static_cast<std::int64_t>(bytes)}, DType::U8);
    } else {
        memory = std::move(free.back());
        free.pop_back();
    }
    const std::byte* data = memory.raw();
    // The memory goes back when the last tensor that looks at it is gone, unless the pool went before.
    const std::weak_ptr<FreeMemory> pool = m_free;
    const std::shared_ptr<const void> owner(data, [pool, memory](const void*) {
        if (const std::shared_ptr<FreeMemory> open = pool.lock())
            (*open)[memory.bytes()].push_back(memory);
    });
    return Tensor::view(data, std::move(shape), type, owner);
}

}  // namespace meshreel
