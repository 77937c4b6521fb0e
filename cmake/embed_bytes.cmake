# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DINPUT=file -DOUTPUT=header -DNAME=array -P embed_bytes.cmake: the bytes of a file as an array.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "inline constexpr unsigned char ${NAME}[] = {${bytes}};\n")
