// SPDX-License-Identifier: GPL-3.0-or-later
// Must not compile with the include path of ui/widgets alone.
#include "ui/settings/key_field.h"
#include "ui/widgets/accessibility.h"
