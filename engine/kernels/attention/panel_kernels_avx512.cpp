// SPDX-License-Identifier: GPL-3.0-or-later
#include <immintrin.h>

#include <limits>

#include "engine/kernels/attention/panel_kernels.h"
#include "engine/kernels/dispatch/isa_region.h"

MESHREEL_BEGIN_AVX512
// clang-format off: these must come last
#include "engine/kernels/attention/panel_products.inl.h"
#include "engine/kernels/attention/panel_softmax.inl.h"
#include "engine/kernels/attention/vector_avx512.h"
// clang-format on
MESHREEL_END_ISA

namespace meshreel {

const PanelKernels& panelKernelsAvx512() {
    static constexpr PanelKernels kernels{.name = "avx512",
                                          .score = scorePanel<VectorAvx512>,
                                          .scoreWide = scorePanelWide<WideVectorAvx512>,
                                          .raise = raisePanel<VectorAvx512>,
                                          .weigh = weighPanel<VectorAvx512>,
                                          .addValues = PanelValues<VectorAvx512>::add};
    return kernels;
}

}  // namespace meshreel
