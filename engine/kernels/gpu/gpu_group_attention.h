// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/attention/group_attention.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// The operation of attention/group_attention.h on a GPU.
void attendInGroups(const OnVulkan& on, const GroupAttention& attention, const MatrixSpan& y);

}  // namespace meshreel
