// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/tile_permission.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernels/cpu_features.h"

namespace meshreel {

namespace {

bool requestTiles() {
    constexpr long requestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tileData = 18;               // XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

}  // namespace

bool tilesPermitted() {
    static const bool permitted = cpuFeatures().amxTile && requestTiles();
    return permitted;
}

bool bf16TilesUsable() {
    const CpuFeatures& features = cpuFeatures();
    return features.amxBf16 && features.avx512Bf16 && features.avx512bw && features.avx512dq &&
           features.avx512vl && tilesPermitted();
}

}  // namespace meshreel
