// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/scratch_folder.h"

#include <cstdlib>
#include <system_error>

#include "engine/base/error.h"

namespace meshreel {

ScratchFolder::ScratchFolder()
    : m_path((std::filesystem::temp_directory_path() / "meshreel-verify-XXXXXX").string()) {
    if (::mkdtemp(m_path.data()) == nullptr)
        throw Error(ErrorKind::Input, sentence("No temporary folder can be made"), m_path,
                    sentence("Set TMPDIR to a writable folder"));
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace meshreel
