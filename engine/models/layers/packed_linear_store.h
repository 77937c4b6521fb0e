// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/weights/cache/packed_weight_store.h"

namespace meshreel {

/// Packed linear layers of one model part in a PackedWeightStore.
class PackedLinearStore {
  public:
    explicit PackedLinearStore(PackedWeightStore& store) : m_store(store) {}

    /// Whether put() keeps anything: where the file is there already it does not.
    [[nodiscard]] bool collects() const { return !m_store.hit(); }

    /// Over the mapped file. Nothing where the store has none in the format that this process packs.
    [[nodiscard]] std::optional<PackedMatrix> find(const std::string& name, std::int64_t outFeatures,
                                                   std::int64_t inFeatures, Arithmetic arithmetic) const;

    /// Keeps what was packed, unless packing left it where the checkpoint is mapped: a copy of the checkpoint
    /// would gain nothing. `mapped` is the view that it was packed from, if it was one.
    void put(const std::string& name, const PackedMatrix& matrix, const Tensor& mapped);

  private:
    PackedWeightStore& m_store;
};

}  // namespace meshreel
