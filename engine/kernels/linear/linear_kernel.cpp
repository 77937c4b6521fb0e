// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/linear_kernel.h"

#include <cstddef>

#include "engine/base/error.h"

namespace meshreel {

LinearEpilogue LinearEpilogue::columns(std::int64_t first, std::int64_t end) const {
    LinearEpilogue result = *this;
    if (!gate.empty())
        result.gate = gate.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
    return result;
}

void requireParts(const PackedForm& form, std::initializer_list<std::size_t> bytes) {
    bool fit = form.parts.size() == bytes.size();
    for (std::size_t index = 0; fit && index < bytes.size(); ++index) {
        const std::size_t held = form.parts[index].bytes();
        const std::size_t expected = bytes.begin()[index];
        fit = expected == biasPart
                  ? held == 0 || held == static_cast<std::size_t>(form.outFeatures) * sizeof(float)
                  : held == expected;
    }
    if (!fit)
        throw Error(ErrorKind::Input,
                    sentence("A packed linear layer of {}x{} in \"{}\" has parts of other sizes",
                             form.outFeatures, form.inFeatures, form.format),
                    {}, sentence("Pack the weights again"));
}

}  // namespace meshreel
