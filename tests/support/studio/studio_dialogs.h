// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>

class QDialog;

namespace meshreel::testing {

class FilledStudio;

/// A dialog of the Studio over a filled window, with content in it.
struct StudioDialog {
    const char* name;
    /// Opens it and returns when it is closed.
    void (*open)(FilledStudio& studio);
};

/// Every dialog that the Studio itself lays out or words:
/// - "grid": seeds and prompts chosen, some combinations refused;
/// - "import": a config and a command line with keys of every fate;
/// - "looks": one look; "save a look": the project's values;
/// - "prompt helper": a prompt and its answer;
/// - "clip export": a clip, onto a file that is there already;
/// - "paste timings": a block of timings;
/// - "unsaved changes", "run going on": the questions before the window closes;
/// - "run preview", "rate": a run large, and two beside each other;
/// - "mask", "tracks": a drawing with an item that is chosen;
/// - "about".
/// Those of Qt alone (files, folders, About Qt) are left out.
std::span<const StudioDialog> studioDialogs();

/// Opens the dialog, hands it over when it is shown and laid out, and cancels it.
void withDialog(const StudioDialog& dialog, FilledStudio& studio, const std::function<void(QDialog&)>& look);

}  // namespace meshreel::testing
