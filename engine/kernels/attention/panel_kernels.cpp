// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/panel_kernels.h"

#include "engine/kernels/attention/panel_products.inl.h"
#include "engine/kernels/attention/panel_softmax.inl.h"
#include "engine/kernels/attention/vector_avx2.h"

namespace meshreel {

const PanelKernels& panelKernelsAvx2() {
    static constexpr PanelKernels kernels{.name = "avx2",
                                          .score = scorePanel<VectorAvx2>,
                                          .scoreWide = scorePanelWide<WideVectorAvx2>,
                                          .raise = raisePanel<VectorAvx2>,
                                          .weigh = weighPanel<VectorAvx2>,
                                          .addValues = PanelValues<VectorAvx2>::add};
    return kernels;
}

const PanelKernels& panelKernels(const CpuFeatures& features) {
    const bool avx512 = features.avx512f && features.avx512bw && features.avx512dq && features.avx512vl;
    return avx512 ? panelKernelsAvx512() : panelKernelsAvx2();
}

}  // namespace meshreel
