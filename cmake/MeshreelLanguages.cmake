# SPDX-License-Identifier: GPL-3.0-or-later
# The languages that the Studio speaks beside English, and their catalogues.
set(MESHREEL_LANGUAGES de fr ja zh_CN)
list(TRANSFORM MESHREEL_LANGUAGES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/translations/meshreel_\\1.ts"
    OUTPUT_VARIABLE MESHREEL_CATALOGUES)
# English needs no words, only the plurals of those that go with a number.
set(MESHREEL_PLURALS "${PROJECT_SOURCE_DIR}/translations/meshreel_en.ts")
