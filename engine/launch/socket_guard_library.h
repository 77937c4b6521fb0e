// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// The file that the secret of a run is in, which then goes into MESHREEL_SECRET_VARIABLE.
#define MESHREEL_SECRET_FILE_VARIABLE "MESHREEL_RUN_SECRET_FILE"

/// Set: to listen on every address is to listen on the loopback address.
#define MESHREEL_LOOPBACK_VARIABLE "MESHREEL_LOOPBACK_ONLY"
