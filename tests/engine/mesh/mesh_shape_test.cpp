// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_shape.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(MeshShape, CountsItsDevices) {
    EXPECT_EQ(MeshShape{}.devices(), 1);
    EXPECT_EQ((MeshShape{.data = 2, .fsdp = 1, .context = 4, .tensor = 3}.devices()), 24);
}

TEST(MeshShape, IsSpelledAxisByAxis) {
    EXPECT_EQ((MeshShape{.data = 2, .context = 4}.text()), "data 2, fsdp 1, context 4, tensor 1");
}

}  // namespace
}  // namespace meshreel
