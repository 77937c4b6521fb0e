// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/warp_roles.h"

namespace meshreel {

RoleLabels beginRoles(PtxWriter& ptx, const PtxThread& self) {
    RoleLabels labels{.readers = ptx.newLabel("readers"), .end = ptx.newLabel("end")};
    const std::string reads = ptx.add("pred", "reads");
    ptx.write("setp.ge.u32", {reads, self.thread, threadsOfWarpgroup});
    ptx.writeIf(reads, "bra.uni", {labels.readers});
    ptx.note("---- Four warps that copy ----");
    ptx.write("setmaxnreg.dec.sync.aligned.u32", {registersOfCopiers});
    return labels;
}

void beginReaders(PtxWriter& ptx, const RoleLabels& labels) {
    ptx.write("bra.uni", {labels.end});
    ptx.label(labels.readers);
    ptx.note("---- Eight warps that multiply ----");
    ptx.write("setmaxnreg.inc.sync.aligned.u32", {registersOfReaders});
}

ReaderPlace placeReader(PtxWriter& ptx, const PtxThread& self) {
    ReaderPlace place{.warp = ptx.add("u32", "readingWarp"),
                      .group = ptx.add("u32", "readingGroup"),
                      .isFirstLane = ptx.add("pred", "isFirstLane"),
                      .always = ptx.add("pred", "always")};
    constexpr std::uint32_t copyingWarps = 4;
    ptx.write("sub.u32", {place.warp, self.warp, copyingWarps});
    ptx.write("shr.u32", {place.group, place.warp, 2});
    ptx.write("setp.eq.u32", {place.isFirstLane, self.lane, 0});
    ptx.write("setp.eq.u32", {place.always, self.lane, self.lane});
    return place;
}

}  // namespace meshreel
