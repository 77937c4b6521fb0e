// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// Whoever starts a program may have closed its standard streams; the next files that it opened would get
/// their numbers, and what it prints would be written over a run. Puts /dev/null in the place of those that
/// are missing: reading gives nothing, and writing still fails, as nobody would see it. The first thing that
/// a program does.
void fillStandardStreams();

}  // namespace meshreel
