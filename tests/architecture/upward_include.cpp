// SPDX-License-Identifier: GPL-3.0-or-later
// Must not compile with the include path of engine/base alone.
#include "engine/base/error.h"
#include "engine/tensor/shape.h"
