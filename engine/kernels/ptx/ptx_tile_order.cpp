// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_tile_order.h"

namespace meshreel {

PtxTilePlace orderTiles(PtxWriter& ptx, const std::string& number, const std::string& across,
                        const std::string& down) {
    ptx.note("Tiles go down eight rows of tiles before they go on to the next outputs: what runs at one");
    ptx.note("time then reads little more than it must, which the second cache holds.");
    constexpr int together = 8;
    const std::string inBand = ptx.add("u32", "inBand");
    const std::string band = ptx.add("u32", "band");
    const std::string high = ptx.add("u32", "high");
    ptx.write("shl.b32", {inBand, across, 3});
    ptx.write("div.u32", {band, number, inBand});
    ptx.write("rem.u32", {number, number, inBand});
    ptx.write("shl.b32", {band, band, 3});
    ptx.write("sub.u32", {high, down, band});
    ptx.write("min.u32", {high, high, together});
    PtxTilePlace place{.row = ptx.add("u32", "tileRow"), .column = ptx.add("u32", "tileColumn")};
    ptx.write("rem.u32", {place.row, number, high});
    ptx.write("add.u32", {place.row, place.row, band});
    ptx.write("div.u32", {place.column, number, high});
    return place;
}

}  // namespace meshreel
